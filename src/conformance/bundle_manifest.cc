// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/manifest.json: the manifest reader with the checker of artifact rows.

#include <cstdlib>
#include <utility>

#include "cacheon/artifact.h"
#include "cacheon/bundle.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

// The file records floats as numbers, where the canonical rows have their hexadecimal text.
void ReplaceHexFloat(Json& value) {
  if (TextOf(value, "type") != "float") return;
  value = Json(std::strtod(TextOf(value, "hex").c_str(), nullptr));
}

// And a plan as its digest.
Status ReplaceDevicePlan(Json& row) {
  const auto plan = row.as_object().find("device_plan");
  if (plan == row.as_object().end()) return {};
  ASSIGN_OR_RETURN(std::string digest, DomainDigest("cacheon.device-launch-plan", plan->second));
  row.as_object().erase(plan);
  row["device_plan_sha256"] = Json(std::move(digest));
  return {};
}

Status WriteExportsAsRecorded(Json& parsed) {
  for (Json& op : parsed["ops"].as_array()) {
    for (Json& row : op["aot_exports"].as_array()) {
      for (auto& [source, value] : row["specializes"].as_object()) ReplaceHexFloat(value);
      for (Json& fill : row["prelaunch"].as_array()) ReplaceHexFloat(fill["value"]);
      RETURN_IF_ERROR(ReplaceDevicePlan(row));
    }
  }
  return {};
}

Result<Json> ReadToJson(const std::string& root) {
  const artifact::RowChecker checker;
  const bundle::ManifestReading reading =
      bundle::ReadManifest(root, {.mode = bundle::Mode::kCompat, .artifact_rows = &checker});
  if (!reading.manifest) return Fail(reading.errors.front());
  Json parsed = bundle::ManifestJson(*reading.manifest);
  RETURN_IF_ERROR(WriteExportsAsRecorded(parsed));
  return parsed;
}

CaseResult RunManifestCase(const Json& the_case, std::string name) {
  const auto tree = ScratchTree::Create();
  if (!tree) return Unsupported(std::move(name), FormatError(tree.error()));
  const Status populated = tree->Populate(the_case);
  if (!populated) return Unsupported(std::move(name), FormatError(populated.error()));
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "parsed"),
                        ReadToJson(tree->root()));
}

}  // namespace

Cases RunManifest(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file is no object");
  std::vector<CaseResult> results;
  RunList(document, "cases", RunManifestCase, results);
  return results;
}

}  // namespace cacheon::conformance
