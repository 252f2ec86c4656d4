// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Specialisation predicates of plans.

#include <vector>

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// Reads the `specializes` table against the slot. Codes pl.spec_unknown, pl.spec_fact,
// pl.spec_type, pl.spec_range, pl.spec_finite.
Result<std::vector<Predicate>> ParseSpecializes(const Json::Object& table, const CallAbi& abi,
                                                const KeyPath& path);

// Equality of numbers across types: 1 equals 1.0. Rows of one plan are compared with it.
bool EqualAcrossTypes(const std::vector<Predicate>& a, const std::vector<Predicate>& b);

// True when no live frame can match both with neither more specific: see the rule of plan overlap.
bool AreAmbiguous(const std::vector<Predicate>& a, const std::vector<Predicate>& b);

}  // namespace cacheon::artifact
