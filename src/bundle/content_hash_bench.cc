// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The content hash of a 256 MiB tree in the page cache, and the same bytes hashed in memory, which
// is the most that it can reach.

#include "cacheon/bundle/content_hash.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cacheon::bundle {
namespace {

constexpr std::size_t kFileBytes = 8U << 20U;
constexpr std::size_t kFiles = 32;

const std::string& Tree() {
  static const std::string root = [] {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "cacheon-bench-XXXXXX").string();
    std::string made = mkdtemp(pattern.data());
    std::string content(kFileBytes, 'x');
    for (std::size_t i = 0; i < kFiles; ++i) {
      content[i] = 'y';
      std::ofstream(made + "/f" + std::to_string(i), std::ios::binary) << content;
    }
    static const std::string cleanup = made;
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(cleanup, ignored);
    });
    return made;
  }();
  return root;
}

void HashTree256MiB(benchmark::State& state) {
  const std::string& root = Tree();
  for (auto _ : state) benchmark::DoNotOptimize(HashTree(root));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kFiles * kFileBytes));
}
BENCHMARK(HashTree256MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

void HashMemory256MiB(benchmark::State& state) {
  const std::string content(kFileBytes, 'x');
  for (auto _ : state) {
    Sha256 sha;
    for (std::size_t i = 0; i < kFiles; ++i) sha.Update(content);
    benchmark::DoNotOptimize(sha.Finish());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kFiles * kFileBytes));
}
BENCHMARK(HashMemory256MiB)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cacheon::bundle
