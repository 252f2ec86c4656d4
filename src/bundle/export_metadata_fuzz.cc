// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The strict reader of a direct row's metadata, over any bytes.

#include <cstdint>

#include "cacheon/core/code.h"
#include "src/bundle/export_metadata.h"
#include "src/bundle/scratch_tree_for_test.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon;          // NOLINT(google-build-using-namespace)
  using namespace cacheon::bundle;  // NOLINT(google-build-using-namespace)
  static const ScratchTree tree;
  static const BundleRoot root = *BundleRoot::Open(tree.root());
  tree.File("m.json", {reinterpret_cast<const char*>(data), size});
  const auto capabilities =
      ReadExactCapabilities(root, DeclaredPath{.text = "m.json", .resolved = "m.json"});
  if (capabilities) {
    capabilities->Proves({.capability_field = "block_size", .value = 128, .key_path = ""});
  } else {
    CACHEON_CHECK(FindCodePage(capabilities.error().code.text()) != nullptr, "a code without page");
  }
  return 0;
}
