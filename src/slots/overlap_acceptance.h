// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structured acceptance of choices: each row by itself, near-ties counted as right, and no id that
// is not a visible block.

#include <cstdint>

#include "cacheon/slots/contract.h"
#include "cacheon/slots/grading.h"
#include "src/slots/acceptance.h"

namespace cacheon::slots {

// Scores of which the `top_k` highest of each row are chosen; -inf is never chosen.
Acceptance AcceptScores(const AcceptanceRule& rule, const SlackScale& scale, std::int64_t top_k,
                        const tensor::ConstTensorView& actual,
                        const tensor::ConstTensorView& expected);

// Rows of int32 ids, -1 for none. `scores` are the reference's, one row per row of ids: -inf is no
// block, FLT_MAX and +inf are forced. Outliers of the result are ids that are no visible block or
// stand twice.
Acceptance AcceptIndices(const AcceptanceRule& rule, const SlackScale& scale,
                         const tensor::ConstTensorView& actual,
                         const tensor::ConstTensorView& expected,
                         const tensor::ConstTensorView& scores);

}  // namespace cacheon::slots
