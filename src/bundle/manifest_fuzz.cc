// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The TOML pre-check, toml++ behind it and the manifest reader, over any bytes as manifest.toml.

#include <cstdint>

#include "cacheon/bundle/manifest.h"
#include "src/bundle/fake_artifact_rows_for_test.h"
#include "src/bundle/scratch_tree_for_test.h"
#include "src/bundle/toml_document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon;          // NOLINT(google-build-using-namespace)
  using namespace cacheon::bundle;  // NOLINT(google-build-using-namespace)
  static const ScratchTree tree;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!ParseToml(text, kManifestFile)) return 0;
  tree.File("k.py", "");
  tree.File("manifest.toml", text);
  const FakeArtifactRows checker;
  const ManifestReading reading = ReadManifest(tree.root(), {.artifact_rows = &checker});
  CACHEON_CHECK(reading.manifest.has_value() == reading.errors.empty(), "neither or both");
  for (const Error& error : reading.errors) {
    CACHEON_CHECK(FindCodePage(error.code.text()) != nullptr, "a code without a page");
    CACHEON_CHECK(!error.where.file.empty(), "an error without a place");
  }
  if (reading.manifest) DocumentJson(ManifestJson(*reading.manifest));
  return 0;
}
