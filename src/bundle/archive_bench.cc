// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// Packing and unpacking 200 MiB in compressible files of 8 MiB, beside the system's `tar` with the
// same compression on the same files; the goal is 1.2 times of it.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

#include "cacheon/bundle/archive.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kFileBytes = 8U << 20U;
constexpr std::size_t kFiles = 25;

// Words of source text in an order that does not repeat.
std::string CompressibleText(std::uint64_t seed) {
  constexpr std::string_view kWords[] = {
      "float ", "const ",           "acc ",  "+= ",  "tile[", "row]", "return ",
      "\n    ", "for (int i = 0; ", "i < n", "; ++i"};
  std::string text;
  while (text.size() < kFileBytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    text += kWords[(seed >> 33U) % std::size(kWords)];
  }
  text.resize(kFileBytes);
  return text;
}

const ScratchTree& Tree() {
  static const ScratchTree tree;
  static const bool filled = [] {
    for (std::size_t i = 0; i < kFiles; ++i) {
      tree.File("w/f" + std::to_string(i) + ".dat", CompressibleText(i + 1));
    }
    return PackBundle(tree.Path("w"), tree.Path("in.tar.gz")).has_value();
  }();
  CACHEON_CHECK(filled, "the benchmark's own tree cannot be packed");
  return tree;
}

void RunShell(const std::string& command) {
  CACHEON_CHECK(std::system(command.c_str()) == 0, "tar is missing or failed");
}

void Pack200MiB(benchmark::State& state) {
  const ScratchTree& tree = Tree();
  for (auto _ : state) {
    benchmark::DoNotOptimize(PackBundle(tree.Path("w"), tree.Path("out.tar.gz")));
  }
}
BENCHMARK(Pack200MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

void TarCreate200MiB(benchmark::State& state) {
  const std::string& root = Tree().root();
  for (auto _ : state) RunShell("tar -C " + root + " -czf " + root + "/tar.tar.gz w");
}
BENCHMARK(TarCreate200MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

void Unpack200MiB(benchmark::State& state) {
  const ScratchTree& tree = Tree();
  for (auto _ : state) {
    const auto report = UnpackArchive(tree.Path("in.tar.gz"), tree.Path("unpacked"));
    if (!report) state.SkipWithError("refused");
    state.PauseTiming();
    std::filesystem::remove_all(tree.Path("unpacked"));
    state.ResumeTiming();
  }
}
BENCHMARK(Unpack200MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

void TarExtract200MiB(benchmark::State& state) {
  const std::string& root = Tree().root();
  for (auto _ : state) {
    RunShell("mkdir " + root + "/tarred && tar -C " + root + "/tarred -xzf " + root + "/in.tar.gz");
    state.PauseTiming();
    std::filesystem::remove_all(root + "/tarred");
    state.ResumeTiming();
  }
}
BENCHMARK(TarExtract200MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cacheon::bundle
