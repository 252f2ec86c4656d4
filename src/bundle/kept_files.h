// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files of a tree count for its identity.

#include <span>
#include <string>

#include "cacheon/bundle/tree.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

inline bool IsKeptFile(const TreeEntry& entry) {
  return !entry.excluded && entry.kind == EntryKind::kFile;
}

// What the kept files of the tree at `root` must be for it to have an identity. Codes:
// bundle.path_not_utf8, bundle.empty.
Status CheckKeptFiles(const std::string& root, std::span<const TreeEntry> kept);

}  // namespace cacheon::bundle
