// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The scan as the command runs it, parser start included, beside the start of a bare interpreter.

#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cacheon/policy/scan.h"
#include "src/policy/cuda_rules.h"

namespace cacheon::policy {
namespace {

constexpr const char* kKernel = R"(from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, out_ptr, d, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < d
    gate = tl.load(x_ptr + row * stride + offs, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + row * stride + d + offs, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * d + offs, gate * tl.sigmoid(gate) * up, mask=mask)


def silu_and_mul(x: torch.Tensor, out: torch.Tensor) -> None:
    rows, width = x.shape
    if out.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        raise ValueError(f"dtype {out.dtype}")
    d = width // 2
    block = triton.next_power_of_2(min(d, 1024))
    _kernel[(rows, triton.cdiv(d, block))](x, out, d, x.stride(0), BLOCK=block)
)";

std::vector<ScanBundle> Bundles(std::size_t count) {
  ScanBundle bundle;
  bundle.entries = {{.path = "k.py", .content = kKernel}, {.path = "manifest.toml", .content = ""}};
  return std::vector<ScanBundle>(count, bundle);
}

void BM_InterpreterStart(benchmark::State& state) {
  for (auto _ : state) {
    pid_t pid = 0;
    const char* arguments[] = {"/usr/bin/python3", "-I", "-S", "-c", "pass", nullptr};
    posix_spawn(&pid, arguments[0], nullptr, nullptr, const_cast<char**>(arguments), environ);
    waitpid(pid, nullptr, 0);
  }
}
BENCHMARK(BM_InterpreterStart)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_ScanCold(benchmark::State& state) {
  const std::vector<ScanBundle> bundles = Bundles(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    Scanner scanner(ScanOptions{});
    const auto reports = scanner.Scan(bundles);
    if (!reports || reports->front().refused()) state.SkipWithError("the bundle was refused");
  }
}
BENCHMARK(BM_ScanCold)->Arg(1)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_ScanWarm(benchmark::State& state) {
  const std::vector<ScanBundle> bundles = Bundles(1);
  Scanner scanner(ScanOptions{});
  for (auto _ : state) benchmark::DoNotOptimize(scanner.Scan(bundles));
}
BENCHMARK(BM_ScanWarm)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_CudaRules(benchmark::State& state) {
  std::string text;
  while (text.size() < (1U << 20U))
    text += "__device__ float f(float x) { return x * 2.0f + g(x); }\n";
  const SourceText source("k.cu", text);
  const ScanBundle bundle;
  for (auto _ : state) {
    Findings findings(bundle::Mode::kStrict, "k.cu", &source);
    benchmark::DoNotOptimize(CheckCudaSource(source, bundle, findings));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_CudaRules)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cacheon::policy
