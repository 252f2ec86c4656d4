// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps the first failure of parallel work.

#include <mutex>
#include <optional>
#include <utility>

#include "cacheon/core/result.h"

namespace cacheon::verify {

class FirstError {
 public:
  void Add(Status status) {
    if (status) return;
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(status).error();
  }
  // Call when the work is done.
  Status Take() {
    if (error_) return Fail(std::move(*error_));
    return {};
  }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace cacheon::verify
