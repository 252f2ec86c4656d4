// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/conformance/file_kinds.h"

#include <array>

namespace cacheon::conformance {
namespace {

// Sorted by path. A new kind is one declaration in file_kinds.h, one source file and one row here.
constexpr auto kFileKinds = std::to_array<FileKind>({
    {"bundle/canonical_json.json", "canonical bytes and domain digests", RunCanonicalJson},
    {"bundle/routing.json", "capability domains, matching, overlap, selection", RunRouting},
    {"bundle/target_catalog.json", "the catalogue's snapshot, digests and active sets",
     RunTargetCatalog},
    {"slots/comparators.json", "verdicts and scores of the published comparators", RunComparators},
    {"slots/nvfp4.json", "the NVFP4 codec, its scales and row orders", RunNvfp4},
});

}  // namespace

std::span<const FileKind> FileKinds() { return kFileKinds; }

const FileKind* FindFileKind(std::string_view path) {
  for (const FileKind& kind : FileKinds()) {
    const bool whole_name =
        path.size() == kind.path.size() ||
        (path.size() > kind.path.size() && path[path.size() - kind.path.size() - 1] == '/');
    if (path.ends_with(kind.path) && whole_name) return &kind;
  }
  return nullptr;
}

}  // namespace cacheon::conformance
