// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/plan_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cacheon::artifact {

PlanSelector::PlanSelector(std::span<const PlanPredicates> plans) {
  for (const PlanPredicates& plan : plans) {
    std::vector<Test>& tests = plans_.emplace_back();
    for (const Predicate& predicate : plan.predicates) {
      const auto known = std::ranges::find(sources_, predicate.source);
      const auto index = static_cast<std::size_t>(known - sources_.begin());
      if (known == sources_.end()) sources_.push_back(predicate.source);
      tests.push_back({index, ToTypedScalar(predicate.value)});
    }
  }
}

Result<std::size_t> PlanSelector::Select(std::span<const std::optional<TypedScalar>> live) const {
  std::size_t chosen = plans_.size();
  bool tied = false;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const bool matches = std::ranges::all_of(
        plans_[i], [&](const Test& test) { return live[test.source] == test.value; });
    if (!matches) continue;
    const bool first = chosen == plans_.size();
    if (!first && plans_[i].size() < plans_[chosen].size()) continue;
    tied = !first && plans_[i].size() == plans_[chosen].size();
    chosen = i;
  }
  if (chosen == plans_.size()) return Fail("rt.no_plan", "no plan matches the call");
  if (tied) {
    return Fail("rt.ambiguous", fmt::format("several plans with {} predicates match the call",
                                            plans_[chosen].size()));
  }
  return chosen;
}

}  // namespace cacheon::artifact
