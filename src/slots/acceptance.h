// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structured acceptance of a floating output: slack, group floors and the cap (contract.h).

#include "cacheon/core/result.h"
#include "cacheon/slots/contract.h"
#include "cacheon/slots/grading.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// What the formula of AcceptanceRule needs beside the rule.
struct SlackScale {
  double unit = 0;   // steps * u
  double floor = 0;  // the smallest slack: what the format of the output cannot resolve
};

// The scale of a rule for calls in a dtype.
SlackScale SlackScaleOf(const AcceptanceRule& rule, tensor::DType call_dtype);

// Both have the same shape. Fails with slot.expected_not_finite when the reference is not finite:
// such a case would accept anything.
Result<Acceptance> Accept(const AcceptanceRule& rule, const SlackScale& scale,
                          const tensor::ConstTensorView& actual,
                          const tensor::ConstTensorView& expected);

}  // namespace cacheon::slots
