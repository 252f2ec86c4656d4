// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The choice of a plan for a call: the one with the most predicates among those that the live
// scalars match.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cacheon/artifact/export.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// bool, int and float are distinct; 0.0 equals -0.0. Integers above int64 use the unsigned
// alternative.
using PlanScalar = std::variant<bool, std::int64_t, std::uint64_t, double>;

// Requires a bool, an integer within 64 bits or a float.
PlanScalar ToPlanScalar(const Json& value);

struct PlanPredicates {
  std::string plan;
  std::vector<Predicate> predicates;
};

// Immutable; selecting neither allocates nor looks at a name.
class PlanSelector {
 public:
  explicit PlanSelector(std::span<const PlanPredicates> plans);

  // The scalars that predicates read; a live frame gives their values in this order.
  std::span<const std::string> sources() const { return sources_; }

  // The index of the chosen plan, in the order in which they were given. A source that the live
  // frame lacks matches nothing. Codes rt.no_plan, rt.ambiguous.
  Result<std::size_t> Select(std::span<const std::optional<PlanScalar>> live) const;

 private:
  struct Test {
    std::size_t source;
    PlanScalar value;
  };

  std::vector<std::string> sources_;
  std::vector<std::vector<Test>> plans_;
};

}  // namespace cacheon::artifact
