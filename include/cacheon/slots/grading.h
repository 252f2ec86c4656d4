// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The judgement of one call's outputs: the published comparator and, on top of it, the structured
// acceptance of the slot's contract. An output is right only when both say so.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "cacheon/tensor/compare.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// What the structured acceptance measured. Groups are the rows of the output.
struct Acceptance {
  bool passed = true;
  std::int64_t group_count = 0;
  std::int64_t failed_groups = 0;
  std::int64_t outliers = 0;  // elements further off than the cap
  double worst_margin = 0;    // the largest |a - e| / slack; 1 is the border of the slack
  double worst_group_share = 1;
  double worst_group_l2 = 0;                  // as a fraction of what is allowed
  std::optional<tensor::WorstElement> worst;  // where worst_margin is
};

struct OutputGrade {
  std::string_view name;  // of the output
  bool passed = false;
  tensor::Comparison published = {};
  Acceptance structured = {};
  // Why it failed, with the place in the output as key path (`out[12, 3]`): cmp.nonfinite,
  // cmp.ratio, cmp.cosine, cmp.overlap, cmp.index, cmp.outlier, cmp.group, in this order.
  std::optional<Error> failure = {};
};

// Grades the outputs of a call in ABI order. `expected` is what Slot::Reference wrote; without the
// plan's evidence at its end, chosen ids are judged by the published comparator alone.
// Multi-threaded; the result does not depend on the number of threads. Fails with
// slot.expected_not_finite when the case itself is unusable (a generator's fault, never the
// candidate's) and with compare.policy.
Result<std::vector<OutputGrade>> Grade(const Slot& slot, const CallPlan& plan,
                                       std::span<const tensor::ConstTensorView> actual,
                                       std::span<const tensor::ConstTensorView> expected);

}  // namespace cacheon::slots
