// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the files of a tree in order, one block ahead of whoever uses them, so that a hash or a
// compressor never waits for the disk.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cacheon/bundle/tree.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::bundle {

// Receives the files of ReadFiles on the calling thread. An error ends the reading.
class FileSink {
 public:
  virtual ~FileSink() = default;
  // Exactly `size_bytes` bytes follow, in any number of OnBytes calls.
  virtual Status OnFile(const TreeEntry& file, std::uint64_t size_bytes) = 0;
  virtual Status OnBytes(std::span<const std::byte> bytes) = 0;
};

// Opens the directory or file at `path` below `root_fd` one component at a time and follows no
// link, so that a tree that changes meanwhile cannot lead outside. errno says why it failed.
UniqueFd OpenBelow(int root_fd, std::string_view path, int flags);

// Gives every file of `files` to `sink`, in order. A file that is gone, is no regular file or has
// another size than when it was opened is `tree.changed`. Codes also: io.open, io.read.
Status ReadFiles(const std::string& root, std::span<const TreeEntry> files, FileSink& sink);

}  // namespace cacheon::bundle
