// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the attention slots have in common.

#include <cstdint>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "cacheon/slots/contract.h"

namespace cacheon::slots {

// Structured acceptance of attended values.
AcceptanceRule AttentionAcceptance();

// Code: slot.shape when the query heads do not divide into groups.
Status CheckHeadGroups(std::int64_t q_heads, std::int64_t kv_heads);

// Queries and keys whose scores are multiples of 64 up to 10,000 and more, exact in float32:
// without its maximum the softmax overflows, with it one key (or exact ties) takes all, so that no
// rounding of an honest kernel decides. Needs sm_scale = 1.
FloatSource LargeIntegerQueries(FloatSource base);
FloatSource IntegerKeys(FloatSource base);

}  // namespace cacheon::slots
