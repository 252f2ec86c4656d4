// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// rebuild.json from anybody: whatever is accepted names reviewed steps, each once, in order.

#include <cstdint>
#include <string_view>

#include "cacheon/policy/rebuild_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = cacheon::policy::ParseRebuildPlan(text, cacheon::bundle::Mode::kStrict);
  if (!plan) return 0;
  for (std::size_t i = 1; i < plan->steps.size(); ++i) {
    CACHEON_CHECK(plan->steps[i - 1].patcher < plan->steps[i].patcher,
                  "the steps of a plan are not in running order");
  }
  return 0;
}
