// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A temporary directory for tests, fuzz targets and benchmarks, removed at the end.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

class ScratchTree {
 public:
  ScratchTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cacheon-test-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~ScratchTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  ScratchTree(const ScratchTree&) = delete;  // it owns the directory
  ScratchTree& operator=(const ScratchTree&) = delete;

  const std::string& root() const { return root_; }
  std::string Path(std::string_view relative) const { return root_ + "/" + std::string(relative); }

  // Each makes the parents that it needs.
  void File(std::string_view path, std::string_view content) const {
    MakeParents(path);
    std::ofstream(Path(path), std::ios::binary) << content;
  }
  void Directory(std::string_view path) const { std::filesystem::create_directories(Path(path)); }
  void Symlink(std::string_view path, std::string_view target) const {
    MakeParents(path);
    CACHEON_CHECK(symlink(std::string(target).c_str(), Path(path).c_str()) == 0,
                  "the disk refuses a link");
  }
  void Fifo(std::string_view path) const {
    CACHEON_CHECK(mkfifo(Path(path).c_str(), 0600) == 0, "the disk refuses a FIFO");
  }

 private:
  void MakeParents(std::string_view path) const {
    std::filesystem::create_directories(std::filesystem::path(Path(path)).parent_path());
  }

  std::string root_;
};

}  // namespace cacheon::bundle
