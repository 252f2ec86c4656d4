// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plain evaluator of expressions: every node once, in order, each result checked. It is the
// definition that faster forms are tested against.

#include "cacheon/artifact/expression.h"
#include "cacheon/artifact/live_frame.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// Codes `ev.*` and `tf.*`; the place's key path is `nodes[i]`.
Result<ExprValue> EvaluateExpression(const Expression& expression, LiveFrame frame);

}  // namespace cacheon::artifact
