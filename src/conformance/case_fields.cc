// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/conformance/case_fields.h"

#include <fmt/format.h>

#include <utility>

namespace cacheon::conformance {

const Json& FieldOf(const Json& object, std::string_view key) {
  static const Json null;
  const Json* value = object.Find(key);
  return value == nullptr ? null : *value;
}

const std::string& TextOf(const Json& object, std::string_view key) {
  static const std::string blank;
  const Json& value = FieldOf(object, key);
  return value.is_string() ? value.as_string() : blank;
}

const Json::Array& ItemsOf(const Json& object, std::string_view key) {
  static const Json::Array empty;
  const Json& value = FieldOf(object, key);
  return value.is_array() ? value.as_array() : empty;
}

std::vector<std::string> TextsOf(const Json& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& item : ItemsOf(object, key)) {
    if (item.is_string()) texts.push_back(item.as_string());
  }
  return texts;
}

bool FlagOf(const Json& object, std::string_view key) { return FieldOf(object, key) == Json(true); }

CaseResult CompareVerdict(const Json& the_case, std::string name, const Json& expected,
                          const Result<Json>& got) {
  if (TextOf(the_case, "expect") == "reject") {
    return CompareReject(std::move(name), TextOf(the_case, "code"), got ? nullptr : &got.error());
  }
  if (!got) return Differs(std::move(name), "accept", FormatError(got.error()));
  return CompareJson(std::move(name), expected, *got);
}

void RunList(const Json& document, std::string_view list,
             const std::function<CaseResult(const Json& the_case, std::string name)>& run,
             std::vector<CaseResult>& results) {
  for (const Json& the_case : ItemsOf(document, list)) {
    results.push_back(run(the_case, fmt::format("{}: {}", list, TextOf(the_case, "name"))));
  }
}

}  // namespace cacheon::conformance
