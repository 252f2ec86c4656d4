// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/output_capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cacheon::worker {

void OutputCapture::Drain() {
  constexpr int kReadsAtOnce = 16;
  char buffer[65536];
  for (int i = 0; i < kReadsAtOnce && pipe_; ++i) {
    const ssize_t count = read(pipe_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      pipe_.reset();
      return;
    }
    const auto size = static_cast<std::size_t>(count);
    const std::size_t room = std::min(size, kKeptBytes - kept_.size());
    kept_.append(buffer, room);
    dropped_bytes_ += size - room;
  }
}

std::string OutputCapture::text() const {
  if (dropped_bytes_ == 0) return kept_;
  return kept_ + fmt::format("\n[{} more bytes were dropped]\n", dropped_bytes_);
}

}  // namespace cacheon::worker
