// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/target_resolution.json: features, rebuild plans and resolution of bundles on disk.

#include <algorithm>
#include <iterator>
#include <utility>

#include "cacheon/artifact/row_checker.h"
#include "cacheon/bundle/manifest.h"
#include "cacheon/policy.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using bundle::Mode;
using policy::Declaration;
using policy::RebuildPlan;
using policy::Resolution;

Result<Declaration> ReadDeclaration(const std::string& root) {
  const artifact::RowChecker artifact_rows;
  bundle::ManifestReading reading =
      bundle::ReadManifest(root, {.mode = Mode::kCompat, .artifact_rows = &artifact_rows});
  if (!reading.manifest) return Fail(std::move(reading.errors.front()));
  return policy::Declare(*reading.manifest);
}

Json TextList(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

// A resolution as it is recorded: the reason is compared as null or not.
Json WithoutWording(Json resolution) {
  if (!FieldOf(resolution, "reason").is_null()) resolution["reason"] = "given";
  return resolution;
}

// Sets a key of `expected` only when the case records it.
void Expect(const Json& the_case, std::string_view key, Json::Object& expected) {
  if (const Json* value = the_case.Find(key)) expected.emplace(key, *value);
}

Json RecordedInspection(const Json& the_case) {
  const Json& recorded = FieldOf(the_case, "inspect_resolution");
  if (recorded.Find("code") != nullptr) return "refused";
  return WithoutWording(recorded);
}

Json InspectionOf(const Declaration& declaration) {
  const Result<Resolution> resolution = policy::InspectResolution(declaration, Mode::kCompat);
  return resolution ? WithoutWording(resolution->ToJson()) : Json("refused");
}

Json PatcherOrder(const RebuildPlan& plan) {
  Json::Array ids;
  for (const policy::RebuildStep& step : plan.steps) ids.push_back(step.patcher->id);
  return ids;
}

// What is recorded of a bundle besides the verdict of intake.
Json Observations(const Declaration& declaration, const Result<RebuildPlan>& plan) {
  Json::Object got = {{"declared_features", TextList(policy::DeclaredFeatures(declaration))},
                      {"inspect_resolution", InspectionOf(declaration)}};
  if (plan) {
    got.emplace("rebuild_features", TextList(plan->Features()));
    got.emplace("rebuild_patcher_order", PatcherOrder(*plan));
  }
  return got;
}

Json RecordedObservations(const Json& the_case) {
  Json::Object expected = {{"inspect_resolution", RecordedInspection(the_case)}};
  for (const char* key : {"declared_features", "rebuild_features", "rebuild_patcher_order"}) {
    Expect(the_case, key, expected);
  }
  return expected;
}

Result<Json> Intake(const Declaration& declaration, const Result<RebuildPlan>& plan) {
  if (!plan) return Fail(plan.error());
  ASSIGN_OR_RETURN(const Resolution resolution,
                   policy::AdmitBundle(declaration, plan->Features(), Mode::kCompat));
  const policy::Target& target = *policy::TargetCatalog::Published().Find(*resolution.target_id);
  return Json::Object{{"resolved", WithoutWording(resolution.ToJson())},
                      {"target_spec_digest", target.spec_digest},
                      {"contract_digest", target.contract_digest}};
}

CaseResult ResolveBundle(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<CaseResult> {
    ASSIGN_OR_RETURN(const ScratchTree tree, ScratchTree::Create());
    RETURN_IF_ERROR(tree.Populate(the_case));
    if (FieldOf(the_case, "rebuild_json").is_string()) {
      RETURN_IF_ERROR(tree.WriteFile(policy::kRebuildFile, TextOf(the_case, "rebuild_json")));
    }
    const Result<Declaration> declaration = ReadDeclaration(tree.root());
    if (!declaration) return CompareVerdict(the_case, name, {}, Fail(declaration.error()));
    const Result<RebuildPlan> plan = policy::ReadRebuildPlan(tree.root(), Mode::kCompat);
    CaseResult observed =
        CompareJson(name, RecordedObservations(the_case), Observations(*declaration, plan));
    if (observed.agreement != Agreement::kAgree) return observed;
    Json::Object expected;
    for (const char* key : {"resolved", "target_spec_digest", "contract_digest"}) {
      expected.emplace(key, FieldOf(the_case, key));
    }
    expected["resolved"] = WithoutWording(expected["resolved"]);
    return CompareVerdict(the_case, name, expected, Intake(*declaration, plan));
  };
  Result<CaseResult> result = run();
  if (!result) return Unsupported(std::move(name), FormatError(result.error()));
  return *std::move(result);
}

}  // namespace

Cases RunTargetResolution(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  std::vector<CaseResult> results = {CompareJson("catalog_digest",
                                                 FieldOf(document, "catalog_digest"),
                                                 policy::TargetCatalog::Published().digest())};
  RunList(document, "cases", ResolveBundle, results);
  return results;
}

}  // namespace cacheon::conformance
