// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps the start of what a worker prints and counts the rest, so that a flood neither blocks the
// worker nor fills the controller's memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "cacheon/core/unique_fd.h"

namespace cacheon::worker {

class OutputCapture {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10U;

  // `pipe` must not block.
  explicit OutputCapture(UniqueFd pipe) : pipe_(std::move(pipe)) {}

  // -1 once the pipe has ended.
  int fd() const { return pipe_.get(); }
  // Takes what is there now, at most a bounded amount: a worker that prints without end must not
  // keep the controller here.
  void Drain();

  // The text, ending with a note about the bytes that were dropped, if any were.
  std::string text() const;

 private:
  UniqueFd pipe_;
  std::string kept_;
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace cacheon::worker
