// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/plan_selection.json: the choice of a plan.

#include "cacheon/artifact/hex_float.h"
#include "cacheon/artifact/plan_selection.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using artifact::TypedScalar;

Result<artifact::PlanSelector> ReadPlans(const Json& table) {
  std::vector<artifact::PlanPredicates> plans;
  for (const Json& plan : ItemsOf(table, "plans")) {
    artifact::PlanPredicates predicates{TextOf(plan, "plan"), {}};
    const Json& specializes = FieldOf(plan, "specializes");
    if (!specializes.is_object()) return Fail("conformance.form", "no predicates");
    for (const auto& [source, typed] : specializes.as_object()) {
      ASSIGN_OR_RETURN(const TypedScalar scalar, ReadTypedScalar(typed));
      predicates.predicates.push_back(
          {source, std::visit([](auto value) { return Json(value); }, scalar)});
    }
    plans.push_back(std::move(predicates));
  }
  return artifact::PlanSelector(plans);
}

Result<Json> Select(const Json& table, const Json& call) {
  ASSIGN_OR_RETURN(const artifact::PlanSelector selector, ReadPlans(table));
  std::vector<std::optional<TypedScalar>> live;
  for (const std::string& source : selector.sources()) {
    live.emplace_back();
    const Json* value = FieldOf(call, "frame").Find(source);
    if (value == nullptr) continue;
    ASSIGN_OR_RETURN(live.back(), ReadTypedScalar(*value));
  }
  ASSIGN_OR_RETURN(const std::size_t chosen, selector.Select(live));
  return FieldOf(ItemsOf(table, "plans")[chosen], "plan");
}

}  // namespace

Cases RunPlanSelection(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  std::vector<CaseResult> results;
  for (const Json& table : ItemsOf(document, "tables")) {
    for (const Json& call : ItemsOf(table, "calls")) {
      results.push_back(CompareOk(call, TextOf(table, "name") + ": " + TextOf(call, "name"),
                                  FieldOf(call, "plan"), Select(table, call)));
    }
  }
  return results;
}

}  // namespace cacheon::conformance
