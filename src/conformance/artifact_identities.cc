// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/identities.json and bundle/artifact_identity.json: identities of direct rows.

#include "cacheon/artifact/identity.h"
#include "cacheon/core/sha256.h"
#include "cacheon/policy/eligibility.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

// The members of an export that a case records; a refusal to seal leaves its code.
Json ExportFacts(const artifact::OpArtifact& op, const artifact::AotExport& row,
                 const bundle::OpRow& source) {
  const Result<artifact::ArtifactId> id =
      artifact::IdentifyExport(op, row, source.source.text, source.variant);
  Json::Object facts{{"name", row.name},
                     {"plan", row.plan},
                     {"step", row.step},
                     {"role", artifact::RoleName(row.role)},
                     {"device_plan_digest", artifact::DevicePlanDigest(row.device_plan)},
                     {"sealable", id.has_value()}};
  if (id) {
    facts["launch_plan_sha256"] = id->launch_plan_sha256;
    facts["artifact_id"] = id->artifact_id;
    facts["function_prefix"] = id->function_prefix;
  }
  return facts;
}

// The same members of the recorded exports; codes are compared nowhere else in the file.
Json RecordedExports(const Json& the_case) {
  Json::Array exports;
  for (Json row : ItemsOf(the_case, "exports")) {
    if (row.is_object()) row.as_object().erase("code");
    exports.push_back(std::move(row));
  }
  return exports;
}

Result<Json> Identify(const Json& document, const Json& the_case) {
  ASSIGN_OR_RETURN(const bundle::Manifest manifest, ReadCaseBundle(document, the_case));
  ASSIGN_OR_RETURN(const artifact::OpArtifact* op,
                   ArtifactOfSlot(manifest, TextOf(the_case, "slot")));
  ASSIGN_OR_RETURN(const std::string canonical,
                   CanonicalJson(artifact::DirectExecutionIdentity(*op)));
  Json::Array exports;
  for (const artifact::AotExport& row : op->exports) {
    exports.push_back(ExportFacts(*op, row, manifest.ops[0]));
  }
  return Json::Object{
      {"identity_canonical", canonical},
      {"identity_sha256_of_canonical_bytes", Sha256Hex(canonical)},
      {"artifact_resource_plan_sha256", artifact::ResourcePlanDigest(op->resources)},
      {"target_authority_sha256", artifact::TargetAuthorityDigest(*op->abi)},
      {"exports", std::move(exports)}};
}

Result<Json> DirectIdentity(const Json& document, const Json& the_case) {
  ASSIGN_OR_RETURN(const bundle::Manifest manifest, ReadCaseBundle(document, the_case));
  ASSIGN_OR_RETURN(const artifact::OpArtifact* op,
                   ArtifactOfSlot(manifest, TextOf(the_case, "slot")));
  const Json identity = artifact::DirectExecutionIdentity(*op);
  ASSIGN_OR_RETURN(const std::string canonical, CanonicalJson(identity));
  return Json::Object{
      {"identity", identity},
      {"identity_sha256", Sha256Hex(canonical)},
      {"artifact_resource_plan_sha256", artifact::ResourcePlanDigest(op->resources)}};
}

Result<Json> Project(const Json& the_case) {
  ASSIGN_OR_RETURN(const policy::Metadata metadata, policy::ReadMetadata(TextOf(the_case, "raw")));
  ASSIGN_OR_RETURN(const policy::Eligibility eligibility, policy::ParseEligibility(metadata.value));
  const Json projected = policy::ProjectMetadata(eligibility);
  const std::string emitted = policy::EmitMetadata(projected);
  return Json::Object{
      {"projected", projected}, {"emitted", emitted}, {"emitted_sha256", Sha256Hex(emitted)}};
}

CaseResult Metadata(const Json& the_case, std::string name) {
  return CompareVerdict(the_case, std::move(name),
                        Pick(the_case, {"projected", "emitted", "emitted_sha256"}),
                        Project(the_case));
}

void CompareCallAbis(const Json& document, std::vector<CaseResult>& results) {
  const Json& abis = FieldOf(document, "call_abis");
  if (!abis.is_object()) return;
  for (const auto& [slot, expected] : abis.as_object()) {
    const artifact::CallAbi* abi = artifact::FindCallAbi(slot);
    std::string name = "call_abis: " + slot;
    if (abi == nullptr) {
      results.push_back(Differs(std::move(name), "a call ABI", "none"));
      continue;
    }
    results.push_back(
        CompareJson(std::move(name), expected,
                    Json::Object{{"identity_snapshot", artifact::CallAbiSnapshot(*abi)},
                                 {"call_abi_sha256", artifact::CallAbiDigest(*abi)},
                                 {"authority_digest", artifact::TargetAuthorityDigest(*abi)}}));
  }
}

}  // namespace

Cases RunIdentities(const Json& document) {
  const auto identity = [&](const Json& the_case, std::string name) {
    Json expected = Pick(the_case, {"identity_canonical", "identity_sha256_of_canonical_bytes",
                                    "artifact_resource_plan_sha256", "target_authority_sha256"});
    expected["exports"] = RecordedExports(the_case);
    return CompareOk(the_case, std::move(name), expected, Identify(document, the_case));
  };
  return RunLists(document, {{"cases", identity}});
}

Cases RunArtifactIdentity(const Json& document) {
  const auto identity = [&](const Json& the_case, std::string name) {
    return CompareVerdict(
        the_case, std::move(name),
        Pick(the_case, {"identity", "identity_sha256", "artifact_resource_plan_sha256"}),
        DirectIdentity(Json(Json::Object{}), the_case));
  };
  ASSIGN_OR_RETURN(
      std::vector<CaseResult> results,
      RunLists(document, {{"direct_identity", identity}, {"canonical_metadata", Metadata}}));
  CompareCallAbis(document, results);
  return results;
}

}  // namespace cacheon::conformance
