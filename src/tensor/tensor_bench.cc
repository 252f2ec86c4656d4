// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk conversions and comparisons at the size of the largest silu case's output, 4096 x 4096.

#include <benchmark/benchmark.h>

#include <vector>

#include "cacheon/core/philox.h"
#include "cacheon/tensor/compare.h"
#include "cacheon/tensor/nvfp4.h"

namespace cacheon::tensor {
namespace {

constexpr std::int64_t kRows = 4096;
constexpr std::int64_t kColumns = 4096;
constexpr std::int64_t kPadding = 64;

const std::vector<float>& Normals() {
  static const std::vector<float> normals = [] {
    std::vector<float> values(kRows * (kColumns + kPadding));
    FillNormal(Philox(1), 0, values);
    return values;
  }();
  return normals;
}

void CountElements(benchmark::State& state, DType dtype) {
  state.SetItemsProcessed(state.iterations() * kRows * kColumns);
  state.SetLabel(std::string(Name(dtype)));
}

void Widen(benchmark::State& state, DType dtype) {
  const std::span<const float> values(Normals().data(), kRows * kColumns);
  std::vector<std::byte> codes(values.size() * ItemSize(dtype));
  NarrowFromFloat(dtype, values, codes.data());
  std::vector<float> out(values.size());
  for (auto _ : state) {
    WidenToFloat(dtype, codes.data(), out);
    benchmark::ClobberMemory();
  }
  CountElements(state, dtype);
}

void Narrow(benchmark::State& state, DType dtype) {
  const std::span<const float> values(Normals().data(), kRows * kColumns);
  std::vector<std::byte> codes(values.size() * ItemSize(dtype));
  for (auto _ : state) {
    NarrowFromFloat(dtype, values, codes.data());
    benchmark::ClobberMemory();
  }
  CountElements(state, dtype);
}

void Quantize(benchmark::State& state) {
  const std::span<const float> values(Normals().data(), kRows * kColumns);
  std::vector<std::uint8_t> packed(values.size() / 2);
  std::vector<std::uint8_t> scales(values.size() / kNvfp4Block);
  for (auto _ : state) {
    benchmark::DoNotOptimize(QuantizeNvfp4(values, kColumns, packed, scales));
  }
  CountElements(state, DType::kFloat4E2M1x2);
}

void Dequantize(benchmark::State& state) {
  const std::span<const float> values(Normals().data(), kRows * kColumns);
  std::vector<std::uint8_t> packed(values.size() / 2);
  std::vector<std::uint8_t> scales(values.size() / kNvfp4Block);
  benchmark::DoNotOptimize(QuantizeNvfp4(values, kColumns, packed, scales));
  std::vector<float> back(values.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(DequantizeNvfp4(packed, scales, kColumns, 1.0F, back));
  }
  CountElements(state, DType::kFloat4E2M1x2);
}

// An output of the type against a float32 reference that is a little off.
void Judge(benchmark::State& state, DType dtype, Metric metric, bool padded) {
  const Layout dense = DenseLayout({kRows, kColumns}).value();
  const Layout layout = padded ? PaddedLayout({kRows, kColumns}, kPadding).value() : dense;
  std::vector<std::byte> actual(Normals().size() * ItemSize(dtype));
  WriteFloats({actual.data(), dtype, layout}, 0,
              std::span<const float>(Normals()).first(kRows * kColumns));
  std::vector<float> expected(Normals().begin(), Normals().begin() + kRows * kColumns);
  for (float& value : expected) value *= 1.001F;
  const ConstTensorView a{actual.data(), dtype, layout};
  const ConstTensorView e{reinterpret_cast<const std::byte*>(expected.data()), DType::kFloat32,
                          dense};
  const ComparePolicy policy{.metric = metric, .atol = 0.02, .rtol = 0.02, .min_cosine = 0.98};
  for (auto _ : state) {
    const Result<Comparison> result = Compare(a, e, policy);
    if (!result->passed) state.SkipWithError("the comparison failed");
  }
  CountElements(state, dtype);
}

BENCHMARK_CAPTURE(Widen, bfloat16, DType::kBFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Widen, float16, DType::kFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Widen, e4m3, DType::kFloat8E4M3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Narrow, bfloat16, DType::kBFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Narrow, float16, DType::kFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Narrow, e4m3, DType::kFloat8E4M3)->Unit(benchmark::kMillisecond);
BENCHMARK(Quantize)->Unit(benchmark::kMillisecond);
BENCHMARK(Dequantize)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(Judge, allclose_dense, DType::kFloat32, Metric::kAllClose, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Judge, allclose_padded, DType::kFloat32, Metric::kAllClose, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Judge, allclose_brains, DType::kBFloat16, Metric::kAllClose, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Judge, allclose_halves, DType::kFloat16, Metric::kAllClose, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Judge, cosine_dense, DType::kFloat32, Metric::kCosine, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace cacheon::tensor
