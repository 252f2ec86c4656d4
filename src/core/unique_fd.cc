// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/unique_fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "cacheon/core/philox.h"
#include "cacheon/core/result.h"

namespace cacheon {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes, bool follow) {
  // O_NONBLOCK so that opening a FIFO returns; the type is checked before anything is read.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
  const UniqueFd fd(open(path.c_str(), flags));
  if (!fd) return Fail(FailErrno("io.open", "cannot open", errno).error().At({.file = path}));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) {
    return Fail(FailErrno("io.read", "cannot stat", errno).error().At({.file = path}));
  }
  if (!S_ISREG(info.st_mode)) return Fail("io.open", "not a regular file", {.file = path});
  std::string content;
  const auto too_large = [&] {
    return Fail("io.too_large", fmt::format("larger than {} bytes", max_bytes), {.file = path});
  };
  if (static_cast<std::uint64_t>(info.st_size) > max_bytes) return too_large();
  // One byte more than the size shows that the file has grown since.
  content.resize(static_cast<std::size_t>(info.st_size) + 1);
  std::size_t used = 0;
  for (;;) {
    const ssize_t count = read(fd.get(), content.data() + used, content.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Fail(FailErrno("io.read", "cannot read", errno).error().At({.file = path}));
    }
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > max_bytes) return too_large();
    if (used == content.size()) content.resize(content.size() * 2);
  }
  content.resize(used);
  return content;
}

namespace {

// Writes to a new file and gives it the name `path`, or leaves nothing.
Status WriteAndRename(const std::string& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{:016x}", path, SystemEntropy());
  // The mode lets the umask decide who may read.
  const UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return FailErrno("io.write", "cannot create", errno);
  Status status = WriteAll(fd.get(), content);
  if (status && fsync(fd.get()) != 0) status = FailErrno("io.write", "cannot flush", errno);
  if (status && rename(temporary.c_str(), path.c_str()) != 0) {
    status = FailErrno("io.write", "cannot rename", errno);
  }
  if (!status) unlink(temporary.c_str());
  return status;
}

Status WriteInPlace(const std::string& path, std::string_view content) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return FailErrno("io.write", "cannot open", errno);
  return WriteAll(fd.get(), content);
}

}  // namespace

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  struct stat info;
  const bool is_special = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  Status status = is_special ? WriteInPlace(path, content) : WriteAndRename(path, content);
  if (!status) return Fail(std::move(status).error().At({.file = path}));
  return {};
}

Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd ready = {.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (count < 0) return FailErrno("io.write", "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status WriteAll(int fd, std::string_view text) {
  return WriteAll(fd, std::as_bytes(std::span(text)));
}

}  // namespace cacheon
