// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Which targets can be active together, and the order in which they are tried.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cacheon/policy/target_catalog.h"

namespace cacheon::policy {
namespace {

using Ids = std::vector<std::string_view>;

// Everything reached from `target` by following one relation.
Ids Closure(const TargetCatalog& catalog, const Target& target, Ids Target::* relation) {
  std::set<std::string_view> reached;
  Ids pending = target.*relation;
  while (!pending.empty()) {
    const std::string_view id = pending.back();
    pending.pop_back();
    if (!reached.insert(id).second) continue;
    const Ids& next = catalog.Find(id)->*relation;
    pending.insert(pending.end(), next.begin(), next.end());
  }
  return {reached.begin(), reached.end()};
}

std::unexpected<Error> Unknown(std::string_view id, Place where = {}) {
  return Fail("target.unknown", fmt::format("`{}` is not a target of the catalogue", id),
              std::move(where));
}

Place At(std::size_t index) { return {.key_path = fmt::format("[{}]", index)}; }

// The relations of one active target to the others.
Status CheckRelations(const TargetCatalog& catalog, const Target& target, std::size_t index,
                      const std::set<std::string_view>& active) {
  for (const std::string_view displaced : catalog.DisplacementClosure(target)) {
    if (!active.contains(displaced)) continue;
    return Fail("target.active_displaced",
                fmt::format("`{}` takes the place of `{}`; only one of them can be active",
                            target.id, displaced),
                At(index));
  }
  for (const std::string_view required : catalog.RequiresClosure(target)) {
    if (active.contains(required)) continue;
    return Fail("target.active_requires",
                fmt::format("`{}` needs `{}` to be active too", target.id, required), At(index));
  }
  return {};
}

// For each active target, the active ones that a rule tries directly before it.
std::map<std::string_view, std::set<std::string_view>> Predecessors(
    std::span<const CompositionRule> rules, std::span<const std::string> active) {
  std::map<std::string_view, std::set<std::string_view>> before;
  for (const std::string& id : active) before[id];
  for (const CompositionRule& rule : rules) {
    Ids order = rule.precedence;
    std::erase_if(order, [&](std::string_view id) { return !before.contains(id); });
    for (std::size_t i = 1; i < order.size(); ++i) before[order[i]].insert(order[i - 1]);
  }
  return before;
}

}  // namespace

Ids TargetCatalog::DisplacementClosure(const Target& target) const {
  return Closure(*this, target, &Target::displaces);
}

Ids TargetCatalog::RequiresClosure(const Target& target) const {
  return Closure(*this, target, &Target::required_targets);
}

Result<std::vector<std::string>> TargetCatalog::ValidateActive(
    std::span<const std::string> ids) const {
  std::set<std::string_view> active;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (active.insert(ids[i]).second) continue;
    return Fail("target.active_duplicate", fmt::format("`{}` is named twice", ids[i]), At(i));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (Find(ids[i]) == nullptr) return Unknown(ids[i], At(i));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    RETURN_IF_ERROR(CheckRelations(*this, *Find(ids[i]), i, active));
  }
  return std::vector<std::string>(active.begin(), active.end());
}

Result<std::vector<std::string>> TargetCatalog::Order(std::span<const std::string> ids) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> active, ValidateActive(ids));
  auto before = Predecessors(rules_, active);
  std::vector<std::string> order;
  while (!before.empty()) {
    // The map is sorted, so this is the first of the targets that nothing else precedes.
    const auto ready =
        std::ranges::find_if(before, [](const auto& entry) { return entry.second.empty(); });
    CACHEON_CHECK(ready != before.end(), "the precedence of the composition rules has a cycle");
    const std::string_view id = ready->first;
    order.emplace_back(id);
    before.erase(ready);
    for (auto& [later, predecessors] : before) predecessors.erase(id);
  }
  return order;
}

Result<const CompositionRule*> TargetCatalog::FindCompositionRule(std::string_view a,
                                                                  std::string_view b) const {
  for (const std::string_view id : {a, b}) {
    if (Find(id) == nullptr) return Unknown(id);
  }
  const Ids pair = {std::min(a, b), std::max(a, b)};
  const auto rule = std::ranges::find(rules_, pair, &CompositionRule::target_ids);
  if (rule == rules_.end()) {
    return Fail("target.no_composition",
                fmt::format("no rule says how `{}` and `{}` share calls", a, b));
  }
  return &*rule;
}

}  // namespace cacheon::policy
