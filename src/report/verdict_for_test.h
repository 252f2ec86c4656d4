// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A verdict document with one row of three cases: passed, failed, not applicable.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "cacheon/core/json.h"

namespace cacheon::report {

inline Json ErrorObject(std::string code, std::string message, std::string key_path = "") {
  return Json::Object{
      {"code", std::move(code)},
      {"severity", "error"},
      {"where", Json::Object{{"file", nullptr},
                             {"line", nullptr},
                             {"column", nullptr},
                             {"key_path", key_path.empty() ? Json() : Json(std::move(key_path))}}},
      {"message", std::move(message)},
      {"hint", "a hint"}};
}

inline Json CaseObject(std::string status, std::int64_t tokens, Json::Array errors = {}) {
  return Json::Object{
      {"parameters", Json::Object{{"dtype", "float32"}, {"num_tokens", tokens}}},
      {"layout", "padded"},
      {"value_profile", "default"},
      {"status", std::move(status)},
      {"mismatch", nullptr},
      {"checks",
       Json::Object{{"answered", "ok"}, {"comparison", errors.empty() ? "ok" : "failed"}}},
      {"outputs", Json::Array{Json::Object{{"name", "out"},
                                           {"metric", "matched_ratio"},
                                           {"score", 0.5},
                                           {"max_abs", 0.25},
                                           {"max_rel", "inf"},
                                           {"worst", Json::Object{{"index", Json::Array{2, 5}},
                                                                  {"expected", 1.5},
                                                                  {"actual", "nan"}}}}}},
      {"errors", std::move(errors)},
      {"timing_ns", Json::Object{{"call", 1'500'000}}}};
}

inline Json VerdictDocument() {
  Json skipped = CaseObject("N/A", 9);
  skipped["mismatch"] = "num_tokens: above 8";
  skipped["outputs"] = Json::Array{};
  Json row = Json::Object{
      {"slot", "norm.rmsnorm"},
      {"variant", "fast"},
      {"entry", "rmsnorm"},
      {"status", "FAIL"},
      {"graph", "not-verified"},
      {"cases",
       Json::Array{CaseObject("PASS", 4),
                   CaseObject("FAIL", 8, {ErrorObject("cmp.ratio", "50 % are off", "out[2, 5]")}),
                   std::move(skipped)}},
      {"errors", Json::Array{}}};
  return Json::Object{
      {"schema", "cacheon.verdict.v1"},
      {"tool", Json::Object{{"version", "1.2.3"}}},
      {"bundle", Json::Object{{"bundle_id", "mine"}, {"content_hash", "00ff"}}},
      {"target", nullptr},
      {"environment",
       Json::Object{{"device", "cpu"},
                    {"isolation", Json::Object{{"level", "best"},
                                               {"layers", Json::Object{{"landlock", false},
                                                                       {"seccomp", true}}}}}}},
      {"seed", 7},
      {"status", "FAIL"},
      {"errors", Json::Array{}},
      {"rows", Json::Array{std::move(row)}}};
}

inline Json& RowOf(Json& document) { return document["rows"].as_array().at(0); }
inline Json& CaseOf(Json& document, std::size_t i) {
  return RowOf(document)["cases"].as_array().at(i);
}

// What a bundle may try to smuggle into a view.
inline constexpr const char* kHostileText = "<script>\"'&\x1b[2J\xFF\xEF\xBF\xBE]]>";

}  // namespace cacheon::report
