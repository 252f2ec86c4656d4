// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls that fall between the rows of a slot. A gap is legal: stock serves it. It is reported
// because it is often an off-by-one between two variants.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cacheon/policy/descriptor.h"
#include "cacheon/policy/domain.h"

namespace cacheon::policy {

// What the calls of a gap have in common in one field.
struct GapField {
  std::string field;
  std::vector<std::string> values = {};  // of a text field
  bool other_values = false;             // of a text field: also every value that no row names
  struct Interval {
    std::int64_t first;
    std::int64_t last;  // inclusive; the largest integer means open
    friend bool operator==(const Interval&, const Interval&) = default;
  };
  std::vector<Interval> intervals = {};  // of a numeric field, ascending, with holes between them

  friend bool operator==(const GapField&, const GapField&) = default;
};

struct CoverageGap {
  std::vector<GapField> fields;  // only those in which the gap is narrower than the hull
  CallDescriptor example;        // a call of the gap that says every field that a row constrains

  // "dtype 'bfloat16', num_tokens 128 to 255".
  std::string Text() const;
};

// The gaps inside the hull of the rows: per field, the values that some row admits and, of
// integers, also those between them. Calls that leave a field unsaid are not looked at. Gaps are
// disjoint, in field order of what they lack; at most `limit` are returned, and a search that grows
// past a fixed bound ends with those found. Rows that constrain private fields are left out.
std::vector<CoverageGap> FindCoverageGaps(std::span<const Domain> rows, std::size_t limit = 16);

}  // namespace cacheon::policy
