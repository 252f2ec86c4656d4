// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/export_set.h"

#include <fmt/format.h>

#include <utility>

#include "src/artifact/lifecycle.h"
#include "src/artifact/specialization.h"

namespace cacheon::artifact {
namespace {

// The rows of one plan, sorted by step.
using Plan = std::vector<PlanStep>;

std::vector<Plan> SplitPlans(std::span<const PlacedExport> exports) {
  std::vector<Plan> plans;
  for (const PlacedExport& placed : exports) {
    if (plans.empty() || plans.back()[0].row->plan != placed.row.plan) plans.emplace_back();
    plans.back().push_back({&placed.row, placed.key_path});
  }
  return plans;
}

Status CheckProviders(std::span<const PlacedExport> exports) {
  for (const PlacedExport& placed : exports) {
    if (placed.row.provider == exports[0].row.provider) continue;
    return Fail(
        "xp.mixed",
        fmt::format("one op uses {} and {}", exports[0].row.provider->id, placed.row.provider->id),
        {.key_path = placed.key_path + ".provider"}, "use one provider in an op");
  }
  return {};
}

Status CheckSteps(const Plan& plan) {
  for (std::size_t i = 1; i < plan.size(); ++i) {
    if (plan[i - 1].row->step != plan[i].row->step) continue;
    return Fail("xp.step_dup",
                fmt::format("`{}` and `{}` are both step {} of plan `{}`", plan[i - 1].row->name,
                            plan[i].row->name, plan[i].row->step, plan[i].row->plan),
                {.key_path = plan[i].key_path + ".step"});
  }
  return {};
}

Status CheckPredicates(const Plan& plan) {
  for (const PlanStep& step : plan) {
    if (EqualAcrossTypes(step.row->specializes, plan[0].row->specializes)) continue;
    return Fail("xp.spec_inconsistent",
                fmt::format("`{}` and `{}` of plan `{}` differ in `specializes`", plan[0].row->name,
                            step.row->name, step.row->plan),
                {.key_path = step.key_path + ".specializes"},
                "repeat the same predicate in every step of a plan");
  }
  return {};
}

Status CheckOverlap(const Plan& a, const Plan& b) {
  if (!AreAmbiguous(a[0].row->specializes, b[0].row->specializes)) return {};
  return Fail("xp.ambiguous",
              fmt::format("plans `{}` and `{}` can match one call, and neither is more specific",
                          a[0].row->plan, b[0].row->plan),
              {.key_path = b[0].key_path},
              "give them different values of one source, or make one predicate extend the other");
}

}  // namespace

void CheckExportSet(std::span<const PlacedExport> exports, const ExportContext& context,
                    std::vector<Error>& errors) {
  const auto take = [&](Status status) {
    if (!status) errors.push_back(std::move(status).error());
    return status.has_value();
  };
  if (!take(CheckProviders(exports))) return;
  const std::vector<Plan> plans = SplitPlans(exports);
  for (const Plan& plan : plans) take(CheckSteps(plan));
  // Every plan uses every resource, so that the rules hold over the rows of all plans together when
  // they hold in each.
  for (const Plan& plan : plans) {
    if (take(CheckPredicates(plan))) take(CheckPipeline(plan, context));
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = i + 1; j < plans.size(); ++j) take(CheckOverlap(plans[i], plans[j]));
  }
}

}  // namespace cacheon::artifact
