// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/unique_fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

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

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  const auto fail = [&](std::string_view what) {
    const int errno_value = errno;
    if (fd) unlink(temporary.c_str());
    return Fail(FailErrno("io.write", what, errno_value).error().At({.file = path}));
  };
  if (!fd) return fail("cannot create");
  if (fchmod(fd.get(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) != 0) return fail("cannot chmod");
  if (Status written = WriteAll(fd.get(), content); !written) {
    unlink(temporary.c_str());
    return Fail(std::move(written.error()).At({.file = path}));
  }
  if (fsync(fd.get()) != 0) return fail("cannot flush");
  if (rename(temporary.c_str(), path.c_str()) != 0) return fail("cannot rename");
  return {};
}

Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("io.write", "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status WriteAll(int fd, std::string_view text) {
  return WriteAll(fd, std::as_bytes(std::span(text)));
}

}  // namespace cacheon
