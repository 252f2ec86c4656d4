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
#include <vector>

#include "cacheon/artifact/export.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

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
  Result<std::size_t> Select(std::span<const std::optional<TypedScalar>> live) const;

 private:
  struct Test {
    std::size_t source;
    TypedScalar value;
  };

  std::vector<std::string> sources_;
  std::vector<std::vector<Test>> plans_;
};

}  // namespace cacheon::artifact
