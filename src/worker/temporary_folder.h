// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of the host that lives as long as its owner. Only workers without a private root need
// one; they may read it and not write it.

#include <string>
#include <utility>

#include "cacheon/core/result.h"
#include "src/worker/file_tree.h"

namespace cacheon::worker {

class TemporaryFolder {
 public:
  // Below TMPDIR or /tmp, with this content. Code: worker.bundle.
  static Result<TemporaryFolder> Create(const FileTree& content);

  TemporaryFolder() = default;
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryFolder();

  // Empty when there is none.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cacheon::worker
