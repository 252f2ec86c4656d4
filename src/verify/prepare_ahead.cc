// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/prepare_ahead.h"

#include <utility>

namespace cacheon::verify {

PrepareAhead::PrepareAhead(const slots::Slot& slot, std::span<const slots::CallPlan> plans,
                           std::size_t budget_bytes, Secrets& secrets)
    : slot_(slot), plans_(plans), budget_bytes_(budget_bytes), secrets_(secrets), thread_([this] {
        Run();
      }) {}

PrepareAhead::~PrepareAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PrepareAhead::Run() {
  for (const slots::CallPlan& plan : plans_) {
    const std::size_t bytes = CaseBytes(plan);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(
          lock, [&] { return stop_ || held_bytes_ == 0 || held_bytes_ + bytes <= budget_bytes_; });
      if (stop_) return;
      held_bytes_ += bytes;
    }
    Result<PreparedCase> prepared = PrepareCase(slot_, plan, secrets_);
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(prepared));
    }
    changed_.notify_all();
  }
}

Result<PreparedCase> PrepareAhead::Take() {
  std::unique_lock lock(mutex_);
  held_bytes_ -= std::exchange(taken_bytes_, 0);
  changed_.notify_all();
  changed_.wait(lock, [&] { return !ready_.empty(); });
  Result<PreparedCase> next = std::move(ready_.front());
  ready_.pop_front();
  taken_bytes_ = CaseBytes(plans_[taken_++]);
  return next;
}

}  // namespace cacheon::verify
