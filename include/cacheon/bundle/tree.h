// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of a bundle as it lies on disk. Listing is lenient: it reports links and special files
// and never follows or opens them, so that the content hash can ignore what the strict views
// refuse.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

// Bounds of a listing. A tree beyond them is refused before more memory is taken.
inline constexpr int kMaxTreeDepth = 256;
inline constexpr std::size_t kMaxTreeEntries = 1'000'000;

enum class EntryKind {
  kFile,
  kDirectory,
  kSymlink,  // to anything, also to a directory; never entered
  kOther,    // FIFO, socket, device
};

struct TreeEntry {
  std::string path;  // relative to the root, components joined by '/', raw bytes of the disk
  EntryKind kind = EntryKind::kFile;
  std::uint64_t size_bytes = 0;  // of regular files
  std::uint64_t link_count = 0;
  bool excluded =
      false;  // not part of the identity: below `__pycache__` or `.git`, or noise by name
};

// Which directories a listing enters.
enum class Descend {
  kKept,  // not `__pycache__` and `.git`; the directories themselves are listed
  kAll,
};

// Everything below `root`, in hash order. Codes: bundle.not_directory, tree.too_deep,
// tree.too_many_entries, io.open, io.read.
Result<std::vector<TreeEntry>> ListTree(const std::string& root, Descend descend = Descend::kKept,
                                        std::size_t max_entries = kMaxTreeEntries);

// True when a file of this relative path is identity noise: a component `__pycache__` or `.git`, a
// final name with the suffix `.pyc` or `.pyo`, or one that starts with `._`.
bool IsExcludedPath(std::string_view path);

// From the last '.' of the final name on; empty when that is its first or last character.
std::string_view PathSuffix(std::string_view path);

// The order of the content hash: component by component, each by bytes, so that `a/x` < `a b`.
bool HashOrderLess(std::string_view a, std::string_view b);

// True when the files of a tree have another order as plain strings. Such a tree hashes well, but a
// publisher that sorts strings cannot publish it.
bool OrdersDiffer(const std::vector<std::string>& paths_in_hash_order);

// Checks the tree as a contribution is taken over: the root is a directory and no link, there is no
// link or special file, at least one file, and every kept path is canonical. Every error is
// reported. Codes: tree.symlink, tree.nonregular, tree.empty, tree.path_not_canonical and those of
// ListTree.
std::vector<Error> CheckContributionTree(const std::string& root);

// Relative, no empty, `.` or `..` component, no backslash, no NUL and no excluded name.
bool IsCanonicalPath(std::string_view path);

}  // namespace cacheon::bundle
