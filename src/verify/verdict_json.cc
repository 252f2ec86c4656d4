// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "cacheon/core/sha256.h"
#include "cacheon/core/version.h"
#include "cacheon/verify/verdict.h"

namespace cacheon::verify {
namespace {

Json ErrorList(const std::vector<Error>& errors) {
  Json list = Json::Array{};
  for (const Error& error : errors) list.Append(ErrorToJson(error));
  return list;
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json OutputToJson(const OutputVerdict& output) {
  const tensor::Comparison& comparison = output.comparison;
  Json worst;
  if (comparison.worst) {
    Json index = Json::Array{};
    for (const std::int64_t i : comparison.worst->index) index.Append(i);
    worst = Json::Object{{"index", std::move(index)},
                         {"expected", comparison.worst->expected},
                         {"actual", comparison.worst->actual}};
  }
  return Json::Object{{"name", output.name},
                      {"metric", tensor::MetricName(comparison.metric)},
                      {"passed", comparison.passed},
                      {"score", comparison.score},
                      {"threshold", comparison.threshold},
                      {"max_abs", comparison.max_abs},
                      {"max_rel", comparison.max_rel},
                      {"max_ulp", comparison.max_ulp},
                      {"worst", std::move(worst)},
                      {"elements", comparison.element_count},
                      {"outside", comparison.outside},
                      {"unwritten", output.unwritten},
                      {"non_finite", comparison.non_finite}};
}

Json CaseToJson(const CaseVerdict& result) {
  Json::Object parameters(result.origin.parameters.begin(), result.origin.parameters.end());
  parameters["dtype"] = tensor::Name(result.dtype);
  Json outputs = Json::Array{};
  for (const OutputVerdict& output : result.outputs) outputs.Append(OutputToJson(output));
  Json::Object checks;
  for (std::size_t i = 0; i < kCheckCount; ++i) {
    const auto check = static_cast<Check>(i);
    checks.emplace(CheckName(check), CheckStateName(result.checks[check]));
  }
  return Json::Object{
      {"kind", result.origin.kind == slots::CaseKind::kPublished ? "published" : "ours"},
      {"parameters", std::move(parameters)},
      {"layout", result.origin.layout},
      {"value_profile", result.origin.value_profile},
      {"seed", result.seed},
      {"applicable", result.applicable},
      {"mismatch", TextOrNull(result.mismatch)},
      {"status", StatusName(result.status)},
      {"outputs", std::move(outputs)},
      {"checks", std::move(checks)},
      {"graph_replays", result.graph_replays},
      {"errors", ErrorList(result.errors)},
      {"timing_ns", Json::Object{{"prepare", result.timing.prepare.count()},
                                 {"call", result.timing.call.count()},
                                 {"reference", result.timing.reference.count()}}}};
}

Json RowToJson(const RowVerdict& row) {
  Json cases = Json::Array{};
  for (const CaseVerdict& result : row.cases) cases.Append(CaseToJson(result));
  const std::int64_t applicable = row.applicable_count();
  const auto total = static_cast<std::int64_t>(row.cases.size());
  return Json::Object{{"slot", row.slot},
                      {"variant", TextOrNull(row.variant)},
                      {"entry", row.entry},
                      {"lane", row.lane},
                      {"status", StatusName(row.status)},
                      {"graph", GraphStateName(row.graph)},
                      {"coverage", Json::Object{{"required", 1},
                                                {"applicable", applicable},
                                                {"not_applicable", total - applicable}}},
                      {"cases", std::move(cases)},
                      {"errors", ErrorList(row.errors)}};
}

Json EnvironmentToJson(const Environment& environment) {
  return Json::Object{{"device", environment.device},
                      {"driver", TextOrNull(environment.driver)},
                      {"interpreter", TextOrNull(environment.interpreter)},
                      {"torch", TextOrNull(environment.torch)},
                      {"isolation", Json::Object{{"level", TextOrNull(environment.isolation_level)},
                                                 {"layers", environment.isolation_layers}}}};
}

std::string DigestWithout(Json document) {
  document.as_object().erase("digest");
  return Sha256Hex(DocumentJson(document));
}

}  // namespace

Json VerdictToJson(const Verdict& verdict) {
  Json rows = Json::Array{};
  for (const RowVerdict& row : verdict.rows) rows.Append(RowToJson(row));
  Json dtypes = Json::Array{};
  for (const std::string& dtype : verdict.dtypes) dtypes.Append(dtype);
  Json document =
      Json::Object{{"schema", kVerdictSchema},
                   {"tool", Json::Object{{"version", Version()}, {"build_id", BuildId()}}},
                   {"bundle", Json::Object{{"bundle_id", TextOrNull(verdict.bundle_id)},
                                           {"abi_version", TextOrNull(verdict.abi_version)},
                                           {"content_hash", TextOrNull(verdict.content_hash)}}},
                   {"target", TextOrNull(verdict.target)},
                   {"options", Json::Object{{"mode", verdict.mode},
                                            {"cases", verdict.case_list},
                                            {"model", TextOrNull(verdict.model)},
                                            {"dtypes", std::move(dtypes)}}},
                   {"environment", EnvironmentToJson(verdict.environment)},
                   {"seed", verdict.seed},
                   {"status", StatusName(verdict.status)},
                   {"errors", ErrorList(verdict.errors)},
                   {"rows", std::move(rows)}};
  document["digest"] = DigestWithout(document);
  return document;
}

Status CheckVerdictDocument(const Json& document) {
  const Json* schema = document.Find("schema");
  if (schema == nullptr || *schema != Json(kVerdictSchema)) {
    return Fail("verdict.schema", fmt::format("not a {} document", kVerdictSchema),
                {.key_path = "schema"});
  }
  const Json* digest = document.Find("digest");
  if (digest == nullptr || *digest != Json(DigestWithout(document))) {
    return Fail("verdict.digest", "the document was changed after it was written",
                {.key_path = "digest"}, "use the file that `cacheon verify --json=FILE` wrote");
  }
  return {};
}

}  // namespace cacheon::verify
