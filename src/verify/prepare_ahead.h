// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prepares the cases of a row in order on a thread of its own, so that inputs and references are
// ready when the worker is. It runs ahead only as far as a memory budget allows.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "src/verify/case_memory.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {

class PrepareAhead {
 public:
  // Starts to prepare `plans`, which must outlive this object. Cases in flight, the one that was
  // taken last included, hold at most `budget_bytes`, except that one case is always allowed.
  PrepareAhead(const slots::Slot& slot, std::span<const slots::CallPlan> plans,
               std::size_t budget_bytes, Secrets& secrets);
  ~PrepareAhead();                             // stops after the case in work
  PrepareAhead(const PrepareAhead&) = delete;  // a thread refers to it
  PrepareAhead& operator=(const PrepareAhead&) = delete;

  // The next case, in order. Call at most once per plan; the case before it counts as released.
  Result<PreparedCase> Take();

 private:
  void Run();

  const slots::Slot& slot_;
  std::span<const slots::CallPlan> plans_;
  std::size_t budget_bytes_;
  Secrets& secrets_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<PreparedCase>> ready_;
  std::size_t held_bytes_ = 0;
  std::size_t taken_bytes_ = 0;
  std::size_t taken_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace cacheon::verify
