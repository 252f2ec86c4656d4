// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/scan_input.h"

#include <algorithm>

#include "cacheon/policy/declare.h"
#include "src/policy/target_table.h"

namespace cacheon::policy {
namespace {

bool AlwaysCaptures(std::string_view slot) {
  const auto row = std::ranges::find(SlotRows(), slot, &SlotRow::slot);
  return row != SlotRows().end() && row->kind == "op";
}

}  // namespace

bool RunsUnderCapture(const std::string& root, const bundle::Manifest& manifest) {
  return std::ranges::any_of(manifest.ops, [&](const bundle::OpRow& row) {
    if (AlwaysCaptures(row.slot)) return true;
    const Result<RowEligibility> read = ReadEligibility(root, manifest, row, bundle::Mode::kCompat);
    return !read || read->eligibility.graph_safe;
  });
}

ScanBundle MakeScanBundle(const std::string& root, const bundle::TreeContents& contents,
                          const bundle::Manifest* manifest) {
  ScanBundle scan{.entries = {}, .has_manifest = manifest != nullptr};
  for (std::size_t i = 0; i < contents.entries.size(); ++i) {
    const bundle::TreeEntry& entry = contents.entries[i];
    scan.entries.push_back({.path = entry.path,
                            .kind = entry.kind,
                            .link_count = entry.link_count,
                            .content = contents.contents[i]});
  }
  if (manifest == nullptr) return scan;
  for (const bundle::DependencyPatch& patch : manifest->dep_patches) {
    scan.dep_patches.push_back({.target = patch.target, .path = patch.path.resolved});
  }
  for (const bundle::OpRow& row : manifest->ops) {
    for (const bundle::DeclaredPath& source : row.cuda_sources) {
      scan.cuda_sources.push_back(source.resolved);
    }
    scan.entry_points.push_back({.source = row.source.resolved, .function = row.entry});
  }
  scan.graph_safe = RunsUnderCapture(root, *manifest);
  return scan;
}

}  // namespace cacheon::policy
