// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/identity.h"

#include <utility>

#include "cacheon/artifact/hex_float.h"
#include "cacheon/core/sha256.h"
#include "src/artifact/export_json.h"

namespace cacheon::artifact {
namespace {

Json Plain(const Json& value) { return value; }

using Spelling = Json (*)(const Json&);

// The members that the direct identity and the sealed launch plan share.
Json::Object StepToJson(const AotExport& row, Spelling spell) {
  Json::Object specializes;
  for (const Predicate& predicate : row.specializes) {
    specializes[predicate.source] = spell(predicate.value);
  }
  Json::Array prelaunch;
  for (const PrelaunchFill& fill : row.prelaunch) {
    prelaunch.emplace_back(
        Json::Object{{"op", "fill"}, {"target", fill.target}, {"value", spell(fill.value)}});
  }
  return Json::Object{
      {"bindings", BindingsToJson(row.bindings)},
      {"device_plan", DevicePlanToJson(row.device_plan)},
      {"plan", row.plan},
      {"prelaunch", std::move(prelaunch)},
      {"provider_capability_requirements", RequirementsToJson(row.provider_requirements)},
      {"role", RoleName(row.role)},
      {"specialization_capability_requirements",
       RequirementsToJson(row.specialization_requirements)},
      {"specializes", std::move(specializes)},
      {"step", row.step}};
}

}  // namespace

Json TagFloat(const Json& value) {
  if (!value.is_float()) return value;
  return Json::Object{{"hex", HexFloat(value.as_float())}, {"type", "float"}};
}

Json ExportToJson(const AotExport& row) {
  Json::Object json = StepToJson(row, TagFloat);
  Json::Array inputs;
  for (const std::string& input : row.profile_inputs) inputs.emplace_back(input);
  json["factory"] = row.factory;
  json["name"] = row.name;
  json["profile_inputs"] = std::move(inputs);
  json["provider"] = row.provider->id;
  return json;
}

Json ExportsToJson(const std::vector<AotExport>& exports) {
  Json::Array rows;
  for (const AotExport& row : exports) rows.push_back(ExportToJson(row));
  return rows;
}

Json DirectExecutionIdentity(const OpArtifact& artifact) {
  return Json::Object{{"artifact_resource_plan", ResourcePlanToJson(artifact.resources)},
                      {"artifact_resource_plan_sha256", ResourcePlanDigest(artifact.resources)},
                      {"exports", ExportsToJson(artifact.exports)},
                      {"schema", kDirectIdentitySchema}};
}

Json SealedLaunchPlan(const AotExport& row) { return StepToJson(row, Plain); }

Result<ArtifactId> IdentifyExport(const OpArtifact& artifact, const AotExport& row,
                                  std::string_view source, std::string_view variant) {
  Json launch_plan = SealedLaunchPlan(row);
  ASSIGN_OR_RETURN(const std::string plan_bytes, CanonicalJson(launch_plan));
  ASSIGN_OR_RETURN(const std::string bytes,
                   CanonicalJson(Json::Object{
                       {"artifact_resource_plan_sha256", ResourcePlanDigest(artifact.resources)},
                       {"artifact_target_authority_sha256", TargetAuthorityDigest(*artifact.abi)},
                       {"factory", row.factory},
                       {"name", row.name},
                       {"plan", std::move(launch_plan)},
                       {"slot", artifact.abi->slot},
                       {"source", source},
                       {"variant", variant}}));
  const std::string digest = Sha256Hex(bytes);
  return ArtifactId{Sha256Hex(plan_bytes), "cute_" + digest, "cacheon_cute_" + digest};
}

}  // namespace cacheon::artifact
