// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The trusted side of one call: values, reference and grade.

#include <benchmark/benchmark.h>

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

}  // namespace
}  // namespace cacheon::slots
