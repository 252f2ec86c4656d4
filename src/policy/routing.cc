// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/routing.h"

#include <fmt/format.h>

#include <utility>

#include "cacheon/bundle/text.h"

namespace cacheon::policy {
namespace {

// The fields that admit no value, with what is said about them left to the reader's metadata.
std::string EmptyFields(const Domain& domain) {
  std::string names;
  for (const Constraint& constraint : domain.constraints()) {
    if (!constraint.IsEmpty()) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", constraint.field);
  }
  return names;
}

// What commonly makes a field empty without looking so.
std::string EmptyHint(const Domain& domain) {
  for (const Constraint& constraint : domain.constraints()) {
    if (!constraint.IsEmpty()) continue;
    if (constraint.field == FieldName(Field::kQuant)) {
      return "name the scheme in the top-level list `quant` too: without it a row serves dense "
             "calls only";
    }
    if (constraint.field == FieldName(Field::kGraphMode)) {
      return "set `graph_safe` to true: without it a row is never called under a CUDA graph";
    }
  }
  return "";
}

std::string OverlapSentence(const RouteRow& row, const RouteRow& other, const Domain& shared) {
  const std::string call = shared.Witness()->Text();
  return fmt::format("variants `{}` and `{}` of {} both accept {}", other.variant, row.variant,
                     row.slot, call.empty() ? "every plain call" : call);
}

}  // namespace

std::string_view RouteOutcomeName(RouteOutcome outcome) {
  switch (outcome) {
    case RouteOutcome::kRegistryInactive:
      return "registry_inactive";
    case RouteOutcome::kSlotUnregistered:
      return "slot_unregistered";
    case RouteOutcome::kOutOfDomain:
      return "out_of_domain";
    case RouteOutcome::kAmbiguous:
      return "ambiguous";
    case RouteOutcome::kSelected:
      return "selected";
  }
  return "";
}

Status RouteRegistry::Register(RouteRow row) {
  if (!bundle::IsId(row.variant)) {
    return Fail("route.variant_name",
                fmt::format("{} is not the name of a variant", bundle::Quoted(row.variant)),
                row.where, "letters, digits, `.`, `_` and `-`");
  }
  Domain domain = Domain::Of(row.eligibility);
  if (domain.IsEmpty() == std::optional(true)) {
    return Fail("route.empty_domain",
                fmt::format("variant `{}` of {} can never serve: {} has no value left", row.variant,
                            row.slot, EmptyFields(domain)),
                row.where, EmptyHint(domain));
  }
  std::vector<Entry>& entries = slots_[row.slot];
  for (const Entry& entry : entries) {
    if (entry.row.variant != row.variant) continue;
    return Fail("route.duplicate_variant",
                fmt::format("{} has a variant `{}` already", row.slot, row.variant), row.where);
  }
  for (const Entry& entry : entries) {
    if (Overlap(entry.domain, domain) != std::optional(true)) continue;
    return Fail("route.overlap",
                OverlapSentence(row, entry.row, Domain::Intersect(entry.domain, domain)), row.where,
                "narrow one of them so that no call fits both");
  }
  entries.push_back({std::move(row), std::move(domain)});
  return {};
}

RouteTables RouteRegistry::Compile() {
  RouteTables tables;
  for (auto& [slot, entries] : slots_) {
    if (entries.empty()) continue;  // every row of the slot was refused
    std::vector<RouteRow> rows;
    for (Entry& entry : entries) rows.push_back(std::move(entry.row));
    tables.tables_.emplace(slot, RouteTable(std::move(rows)));
  }
  slots_.clear();
  return tables;
}

Selection RouteTables::Select(std::string_view slot, const CallDescriptor& call) const {
  if (!active_) return {RouteOutcome::kRegistryInactive};
  const RouteTable* table = Find(slot);
  if (table == nullptr) return {RouteOutcome::kSlotUnregistered};
  return table->Select(call);
}

const RouteTable* RouteTables::Find(std::string_view slot) const {
  const auto found = tables_.find(slot);
  return found == tables_.end() ? nullptr : &found->second;
}

}  // namespace cacheon::policy
