// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// Reading and checking a manifest of 16 KB that declares 176 sources; the goal is 2 ms.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "cacheon/bundle/manifest.h"
#include "src/bundle/fake_artifact_rows_for_test.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

constexpr int kRows = 16;
constexpr int kSourcesPerRow = 11;

void ReadManifest176Sources(benchmark::State& state) {
  const ScratchTree tree;
  std::string text = "bundle_id = \"bench\"\nabi_version = \"cacheon-op-abi-v0\"\n";
  for (int row = 0; row < kRows; ++row) {
    text += fmt::format(
        "[[ops]]\nslot = \"norm.rmsnorm\"\nvariant = \"variant-{0}\"\nsource = "
        "\"kernels/r{0}.py\"\n"
        "entry = \"entry_{0}\"\ndtypes = [\"bfloat16\", \"float16\"]\n"
        "architectures = [\"sm90\", \"sm100\", \"sm103\"]\ncuda_sources = [\n",
        row);
    tree.File(fmt::format("kernels/r{}.py", row), "");
    for (int i = 1; i < kSourcesPerRow; ++i) {
      const std::string path = fmt::format(
          "kernels/cuda/row_{:02}/translation_unit_with_a_name_"
          "{:02}.cu",
          row, i);
      text += fmt::format("  \"{}\",  # unit {} of the row\n", path, i);
      tree.File(path, "");
    }
    text += "]\n";
  }
  tree.File("manifest.toml", text);
  const FakeArtifactRows checker;
  for (auto _ : state) {
    const auto reading = ReadManifest(tree.root(), {.artifact_rows = &checker});
    if (!reading.manifest) state.SkipWithError("refused");
    benchmark::DoNotOptimize(reading);
  }
  state.counters["manifest_bytes"] = static_cast<double>(text.size());
}
BENCHMARK(ReadManifest176Sources)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cacheon::bundle
