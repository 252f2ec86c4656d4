// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/dep_patch.json: the parser and the applier of dependency patches.

#include <optional>
#include <utility>

#include "cacheon/bundle.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Json HunkJson(const bundle::PatchHunk& hunk) {
  return Json::Object{{"old_start", hunk.old_start},
                      {"old_count", hunk.old_count},
                      {"new_start", hunk.new_start},
                      {"new_count", hunk.new_count},
                      {"lines", Json::Array(hunk.lines.begin(), hunk.lines.end())}};
}

Result<Json> ParseToJson(const std::string& text) {
  ASSIGN_OR_RETURN(const bundle::Patch patch, bundle::ParsePatch(text));
  Json::Array files;
  for (const bundle::PatchedFile& file : patch.files) {
    Json::Array hunks;
    for (const bundle::PatchHunk& hunk : file.hunks) hunks.push_back(HunkJson(hunk));
    files.push_back(Json::Object{
        {"path", file.path}, {"is_new_file", file.is_new_file}, {"hunks", std::move(hunks)}});
  }
  return Json(std::move(files));
}

CaseResult RunParse(const Json& the_case, std::string name) {
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "files"),
                        ParseToJson(TextOf(the_case, "patch")));
}

Result<Json> ApplyToJson(const Json& the_case) {
  ASSIGN_OR_RETURN(const bundle::Patch patch, bundle::ParsePatch(TextOf(the_case, "patch")));
  std::optional<std::string> original;
  if (FieldOf(the_case, "original").is_string()) original = TextOf(the_case, "original");
  const auto read = [&](std::string_view) { return Result<std::optional<std::string>>(original); };
  ASSIGN_OR_RETURN(auto changed, bundle::ApplyPatches(std::span(&patch, 1), read));
  if (changed.size() != 1) return Fail("conformance.form", "the patch changes several files");
  return Json(changed.begin()->second);
}

CaseResult RunApply(const Json& the_case, std::string name) {
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "result"),
                        ApplyToJson(the_case));
}

}  // namespace

Cases RunDepPatch(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file is no object");
  std::vector<CaseResult> results;
  RunList(document, "parse", RunParse, results);
  RunList(document, "apply", RunApply, results);
  return results;
}

}  // namespace cacheon::conformance
