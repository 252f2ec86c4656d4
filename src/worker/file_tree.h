// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small tree of files in memory. The worker sees such a copy of the bundle, not the bundle: its
// files may belong to a user that the worker is not, and nobody can exchange a copy while it is
// judged.

#include <string>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::worker {

struct TextFile {
  std::string path;  // relative
  std::string content;
};

struct FileTree {
  std::vector<std::string> folders;  // relative, parents first
  std::vector<TextFile> files;
};

// Reads a bundle: regular files and folders; links and the like are left out (the rules of the tree
// refuse them before anything is loaded). Paths start with `prefix` and a slash. At most 4,096
// entries and 256 MiB. Code: worker.bundle.
Result<FileTree> ReadBundle(const std::string& root, const std::string& prefix);

// Writes the tree below an open folder, readable by everybody. Makes system calls only, so that a
// child may use it between fork and exec. Folders that exist are kept. Returns 0 or an errno.
int WriteFileTree(int target, const FileTree& tree);

}  // namespace cacheon::worker
