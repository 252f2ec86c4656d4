// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The canonical form and the digest of resource plans.

#include <utility>

#include "cacheon/artifact/resource_plan.h"
#include "cacheon/core/sha256.h"

namespace cacheon::artifact {
namespace {

Json FactorToJson(const std::variant<StaticFactor, LiveFactor>& factor) {
  if (const auto* fixed = std::get_if<StaticFactor>(&factor)) {
    return Json::Object{{"static", fixed->value}};
  }
  const auto& live = std::get<LiveFactor>(factor);
  Json::Object row{{"projection", FactorProjectionName(live.projection)},
                   {"source", live.source},
                   {"upper_bound", live.upper_bound}};
  if (live.axis) row["axis"] = *live.axis;
  return row;
}

Json ExtentToJson(const Extent& extent) {
  Json::Array factors;
  for (const auto& factor : extent.factors) factors.push_back(FactorToJson(factor));
  Json::Object row{{"factors", std::move(factors)}};
  if (extent.divisor != 1) row["divisor"] = extent.divisor;
  return row;
}

Json ResourceToJson(const ArtifactResource& resource) {
  Json::Array shape;
  for (const Extent& extent : resource.shape) shape.push_back(ExtentToJson(extent));
  Json::Object row{{"alignment", resource.alignment},
                   {"dtype", resource.dtype},
                   {"lifetime", LifetimeName(resource.lifetime)},
                   {"name", resource.name},
                   {"shape", std::move(shape)}};
  if (resource.scope != ResourceScope::kRankLocal) row["scope"] = ResourceScopeName(resource.scope);
  return row;
}

}  // namespace

Json ResourcePlanToJson(const ResourcePlan& plan) {
  Json::Array rows;
  for (const ArtifactResource& resource : plan.resources) rows.push_back(ResourceToJson(resource));
  return Json::Object{{"resources", std::move(rows)}, {"slot", plan.slot}};
}

std::string ResourcePlanDigest(const ResourcePlan& plan) {
  const Result<std::string> bytes = CanonicalJson(Json::Object{
      {"plan", ResourcePlanToJson(plan)}, {"schema", "cacheon.artifact-resource-plan.v1"}});
  CACHEON_CHECK(bytes.has_value(), "a checked resource plan holds no float and only UTF-8");
  return Sha256Hex(*bytes);
}

}  // namespace cacheon::artifact
