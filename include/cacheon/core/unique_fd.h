// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Owned file descriptors. Every descriptor of ours is close-on-exec.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cacheon/core/result.h"

namespace cacheon {

// Owns one descriptor; -1 is none. Closes it when destroyed and ignores errors of close.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The whole content of a regular file. Links are not followed at the last component when
// `follow` is false. Codes: io.open, io.read, io.too_large.
Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes, bool follow = true);

// Writes a file so that it appears complete or not at all (temporary name, fsync, rename), with the
// mode that the umask leaves. A device or pipe (`/dev/stdout`) is written to as it is. Code:
// io.write.
Status WriteFileAtomically(const std::string& path, std::string_view content);

// Writes everything, past partial writes and EINTR; waits where the descriptor does not block.
// Code: io.write, without a place.
Status WriteAll(int fd, std::span<const std::byte> bytes);
Status WriteAll(int fd, std::string_view text);

}  // namespace cacheon
