// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The domain of a row: its eligibility folded into one constraint per field. Answers what calls a
// row can serve at all, and whether two rows can serve the same call, with such a call as the
// proof.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/policy/descriptor.h"
#include "cacheon/policy/eligibility.h"

namespace cacheon::policy {

// Everything that a row says about one field.
struct Constraint {
  std::string field;                                // canonical name
  bool required = false;                            // a call that does not say is refused
  std::optional<std::vector<Scalar>> allowed = {};  // sorted, unique; unset: any value
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  bool excludes_cuda_graph = false;

  bool HasRange() const {
    return min != std::numeric_limits<std::int64_t>::min() ||
           max != std::numeric_limits<std::int64_t>::max();
  }
  bool Admits(const Scalar& value) const;
  // No value at all is admitted.
  bool IsEmpty() const;
  // The conjunction of two constraints on one field.
  static Constraint Both(const Constraint& a, const Constraint& b);
};

class Domain {
 public:
  // All calls.
  Domain() = default;
  static Domain Of(const Eligibility& row);
  static Domain Intersect(const Domain& a, const Domain& b);

  // Sorted by field. quant is always among those of a row, graph_mode unless it is graph_safe.
  std::span<const Constraint> constraints() const { return constraints_; }

  // Whether the call is served; the same answer as an empty Match().
  bool Accepts(const CallDescriptor& call) const;

  // True: no call can be served. Unset: unknown, because a private field is constrained.
  std::optional<bool> IsEmpty() const;

  // A call that is served, with values for the fields that need one and no others. Unset when the
  // domain is empty or unknown.
  std::optional<CallDescriptor> Witness() const;

  // Adds a condition to that on the same field, if any.
  void Add(Constraint constraint);

 private:
  friend std::optional<bool> Overlap(const Domain& a, const Domain& b);

  std::vector<Constraint> constraints_;
  bool has_empty_field_ = false;
  bool complete_ = true;  // no private field is constrained
};

// Whether some call is served by both. Unset: unknown. Does not allocate. A call that proves true
// is Domain::Intersect(a, b).Witness().
std::optional<bool> Overlap(const Domain& a, const Domain& b);

}  // namespace cacheon::policy
