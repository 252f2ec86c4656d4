// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of a bundle in memory, each read once, so that what is hashed is what is scanned.

#include <cstdint>
#include <string>
#include <vector>

#include "cacheon/bundle/tree.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

struct TreeContents {
  std::vector<TreeEntry> entries;     // as ListTree gives them: noise and links stand there too
  std::vector<std::string> contents;  // of the entry at the same place; empty for what is no file
  std::string content_hash;           // that of HashTree
  std::uint64_t content_bytes = 0;    // of the files that the hash counts
};

// Reads the tree at `root`: at most as many files and bytes as an archive may hold, and nothing
// that is no regular file. Codes: those of HashTree and SizeBudget, archive.too_many_members.
Result<TreeContents> ReadTreeContents(const std::string& root);

}  // namespace cacheon::bundle
