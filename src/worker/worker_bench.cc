// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What a worker costs: its start with and without the layers, a call, and torch beside it.

#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/tensor/layout.h"
#include "cacheon/worker.h"

namespace cacheon::worker {
namespace {

constexpr std::chrono::seconds kLimit{30};

bool DoNothing(std::span<const NativeArgument> /*arguments*/) { return false; }

void StartAndStop(benchmark::State& state, bool use_namespaces) {
  WorkerOptions options;
  options.interpreter.path = "/usr/bin/python3";
  options.use_namespaces = use_namespaces;
  for (auto _ : state) {
    auto worker = StartNativeWorker(options, DoNothing);
    if (!worker || !(*worker)->Stop(kLimit).done()) {
      state.SkipWithError("the worker did not start");
      return;
    }
    worker->reset();
  }
}

// Every layer up, handshake, down: at most 5 ms.
void BM_StartAllLayers(benchmark::State& state) { StartAndStop(state, true); }
BENCHMARK(BM_StartAllLayers)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_StartProcessOnly(benchmark::State& state) { StartAndStop(state, false); }
BENCHMARK(BM_StartProcessOnly)->Unit(benchmark::kMillisecond)->UseRealTime();

// The floor below both: a fork, an exit and a wait.
void BM_Fork(benchmark::State& state) {
  for (auto _ : state) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
}
BENCHMARK(BM_Fork)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Call(benchmark::State& state) {
  auto worker = StartNativeWorker({}, DoNothing);
  auto layout = tensor::DenseLayout({256, 256});
  auto memory = TensorMemory::Create("out", tensor::DType::kFloat32, std::move(*layout), 0,
                                     GuardSide::kAfter);
  if (!worker || !(*worker)->Load("", "", "", kLimit).done()) {
    state.SkipWithError("the worker did not start");
    return;
  }
  const std::vector<CallArgument> arguments = {TensorArgument{&*memory, true}, 1.5};
  for (auto _ : state) benchmark::DoNotOptimize((*worker)->Call(arguments, kLimit));
}
BENCHMARK(BM_Call)->Unit(benchmark::kMicrosecond)->UseRealTime();

// Until the interpreter in the sandbox is ready for its first call.
void BM_PythonWorkerReady(benchmark::State& state) {
  auto interpreter = FindInterpreter("");
  if (!interpreter) {
    state.SkipWithError("no interpreter with torch");
    return;
  }
  WorkerOptions options;
  options.interpreter = *interpreter;
  for (auto _ : state) {
    auto worker = Worker::Start(options);
    // A file that is not there is the cheapest load.
    if (worker) benchmark::DoNotOptimize((*worker)->Load("none.py", "f", "", kLimit));
  }
}
BENCHMARK(BM_PythonWorkerReady)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

// The yardstick of the one above.
void BM_ImportTorch(benchmark::State& state) {
  auto interpreter = FindInterpreter("");
  if (!interpreter) {
    state.SkipWithError("no interpreter with torch");
    return;
  }
  const std::string command = interpreter->path + " -c 'import torch'";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("torch cannot be imported");
  }
}
BENCHMARK(BM_ImportTorch)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

// First touch of an input: whole-block writes against a mapping (platform facts in the docs).
void BM_FillTensor(benchmark::State& state) {
  const auto elements = std::int64_t{1} << 24U;
  const std::vector<std::byte> block(std::size_t{1} << 18U, std::byte{1});
  for (auto _ : state) {
    auto layout = tensor::DenseLayout({elements});
    auto memory = TensorMemory::Create("x", tensor::DType::kFloat32, std::move(*layout), 0,
                                       GuardSide::kAfter);
    for (std::size_t at = 0; at < memory->bytes().size(); at += block.size()) {
      benchmark::DoNotOptimize(memory->Write(at, block));
    }
    benchmark::DoNotOptimize(memory->Seal());
  }
  state.SetBytesProcessed(state.iterations() * elements * 4);
}
BENCHMARK(BM_FillTensor)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cacheon::worker
