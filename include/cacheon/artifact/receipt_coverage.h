// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The completion gate over receipts of one kind (`completed`, `aot_loaded` or `aot_invoked`): every
// expected slot was reported by every member, once for each variant, and nothing fell back.
//
// Limit: receipts are written by the workers. Coverage says that they agree with each other, not
// that they are true.

#include <cstdint>
#include <string>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

struct CoverageInput {
  std::vector<std::string> expected_slots;
  std::int64_t expected_member_count = 0;
  // Documents with `pid`, `rank` and `world_size` (both -1 when unknown). Observed ones also have
  // `slot` and may have `variant`; receipts without a variant share one.
  Json::Array members;    // `active` receipts; empty when ranks alone identify members
  Json::Array observed;   // of the kind in question
  Json::Array fallbacks;  // any of them refuses
};

// Members have different pids, and either the ranks 0..n-1 once each or none; a pid without a rank
// must be given its rank by a later receipt, unless it is the only member. Codes, the first that
// applies: rc.slots, rc.count, rc.malformed, rc.unexpected, rc.duplicate, rc.missing, rc.fallback.
// The place's key path is `members[i]` or `observed[i]` where one document is at fault.
Status CheckCoverage(const CoverageInput& input);

}  // namespace cacheon::artifact
