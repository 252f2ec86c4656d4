// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The trusted side of one call: values, reference and grade.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "cacheon/core/parallel.h"
#include "cacheon/slots/grading.h"
#include "src/slots/call_storage.h"

namespace cacheon::slots {
namespace {

// The largest published case of a slot in float32.
JudgedCall LargestCall(const Slot& slot, std::size_t index) {
  return MakeJudgedCall(slot, slot.PublishedCases()[index], tensor::DType::kFloat32, 1).value();
}

void Reference(benchmark::State& state, const char* id, std::size_t index) {
  const Slot& slot = *FindSlot(id);
  const JudgedCall call = LargestCall(slot, index);
  for (auto _ : state) {
    slot.Reference(call.plan, call.storage.inputs(), call.storage.expected());
  }
}

void GradeOutputs(benchmark::State& state, const char* id, std::size_t index) {
  const Slot& slot = *FindSlot(id);
  const JudgedCall call = LargestCall(slot, index);
  const auto actual = call.storage.const_expected();
  for (auto _ : state) {
    auto grades = Grade(slot, call.plan, actual, actual);
    benchmark::DoNotOptimize(grades);
  }
}

// The shape at which the expert reference has its goal: few tokens, so that streaming the weights
// is the bound.
void ExpertsReference(benchmark::State& state) {
  const Slot& slot = *FindSlot("moe.fused_experts");
  Case the_case = slot.PublishedCases()[0];
  for (const auto& [name, value] : {std::pair{"num_tokens", 64},
                                    {"num_experts", 32},
                                    {"hidden", 1024},
                                    {"inter", 512},
                                    {"top_k", 4}}) {
    the_case.parameters[name] = value;
  }
  const JudgedCall call = MakeJudgedCall(slot, the_case, tensor::DType::kFloat32, 1).value();
  for (auto _ : state) {
    slot.Reference(call.plan, call.storage.inputs(), call.storage.expected());
  }
  std::int64_t weight_bytes = 0;
  for (const auto& weights : call.storage.inputs().first(2)) {
    weight_bytes += tensor::ElementCount(weights.shape()).value() * 4;
  }
  state.SetBytesProcessed(state.iterations() * weight_bytes);
}

// The largest published case of the MiniMax-M3 profile: 1 GiB of packed weights.
JudgedCall ProfiledCall() {
  const Slot& slot = *FindSlot("moe.fused_experts", "MiniMax-M3");
  return MakeJudgedCall(slot, slot.PublishedCases().back(), tensor::DType::kBFloat16, 1).value();
}

void ProfiledValues(benchmark::State& state) {
  for (auto _ : state) {
    JudgedCall call = ProfiledCall();
    benchmark::DoNotOptimize(call.storage.inputs().data());
  }
}

void ProfiledReference(benchmark::State& state) {
  const JudgedCall call = ProfiledCall();
  for (auto _ : state) {
    FindSlot("moe.fused_experts", "MiniMax-M3")
        ->Reference(call.plan, call.storage.inputs(), call.storage.expected());
  }
}

BENCHMARK(ProfiledValues)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK(ProfiledReference)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);

// One of the bounds: a large product in single precision.
void EigenProduct(benchmark::State& state) {
  constexpr int kSize = 1024;
  const Eigen::MatrixXf a = Eigen::MatrixXf::Random(kSize, kSize);
  const Eigen::MatrixXf b = Eigen::MatrixXf::Random(kSize, kSize);
  Eigen::MatrixXf c(kSize, kSize);
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::DoNotOptimize(c.data());
  }
  state.SetItemsProcessed(state.iterations() * kSize * kSize * kSize);
}

// The other: streaming as many bytes as the weights have.
void StreamWeights(benchmark::State& state) {
  const std::vector<float> weights(std::size_t{32} * 3 * 1024 * 512, 1.0F);
  for (auto _ : state) {
    std::atomic<float> total = 0;
    ParallelFor(static_cast<std::int64_t>(weights.size()), 1 << 16,
                [&](std::int64_t begin, std::int64_t end) {
                  std::array<float, 64> lanes{};
                  for (std::int64_t i = begin; i < end; i += 64) {
                    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
                      lanes[lane] += weights[static_cast<std::size_t>(i) + lane];
                    }
                  }
                  total = total + lanes[0];
                });
    benchmark::DoNotOptimize(total.load());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(weights.size() * 4));
}

BENCHMARK(ExpertsReference)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(EigenProduct)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(StreamWeights)->Unit(benchmark::kMillisecond)->UseRealTime();

constexpr std::size_t kLargestDecode = 2;
constexpr std::size_t kLargestSilu = 3;
constexpr std::size_t kLargestRmsNorm = 4;

BENCHMARK_CAPTURE(Reference, silu_4096x4096, "activation.silu_and_mul", kLargestSilu)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(GradeOutputs, silu_4096x4096, "activation.silu_and_mul", kLargestSilu)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(Reference, rmsnorm_4096x4096, "norm.rmsnorm", kLargestRmsNorm)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(GradeOutputs, rmsnorm_4096x4096, "norm.rmsnorm", kLargestRmsNorm)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

BENCHMARK_CAPTURE(Reference, decode_128x9344, "attention.decode", kLargestDecode)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace cacheon::slots
