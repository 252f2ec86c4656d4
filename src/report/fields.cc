// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/report/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cacheon::report {
namespace {

// A positive whole number, or 0.
std::int64_t Position(const Json& object, std::string_view key) {
  const Json& value = Member(object, key);
  return value.is_int64() ? std::max<std::int64_t>(value.as_int64(), 0) : 0;
}

}  // namespace

std::string Text(const Json& object, std::string_view key) {
  const Json* value = object.Find(key);
  return value != nullptr && value->is_string() ? value->as_string() : "";
}

const Json::Array& List(const Json& object, std::string_view key) {
  static const Json::Array kEmpty;
  const Json* value = object.Find(key);
  return value != nullptr && value->is_array() ? value->as_array() : kEmpty;
}

const Json& Member(const Json& object, std::string_view key) {
  static const Json kNull;
  const Json* value = object.Find(key);
  return value != nullptr ? *value : kNull;
}

double Number(const Json& object, std::string_view key) {
  const Json& value = Member(object, key);
  if (value.is_number()) return value.as_double();
  if (value == Json("inf")) return HUGE_VAL;
  return value == Json("nan") ? NAN : 0;
}

std::string PlaceOf(const Json& error) {
  const Json& where = Member(error, "where");
  std::string place = Text(where, "file");
  const std::int64_t line = Position(where, "line");
  const std::int64_t column = Position(where, "column");
  if (line > 0) place += fmt::format("{}{}", place.empty() ? "line " : ":", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  const std::string key_path = Text(where, "key_path");
  if (!key_path.empty()) place += (place.empty() ? "" : ": ") + key_path;
  return place;
}

std::string RowName(const Json& row) {
  const std::string variant = Text(row, "variant");
  return Text(row, "slot") + (variant.empty() || variant == "default" ? "" : ":" + variant);
}

std::string CaseName(const Json& result) {
  std::string text;
  const Json& parameters = Member(result, "parameters");
  if (parameters.is_object()) {
    for (const auto& [name, value] : parameters.as_object()) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                          value.is_string() ? value.as_string() : DocumentJson(value));
    }
  }
  const std::string layout = Text(result, "layout");
  const std::string values = Text(result, "value_profile");
  if (!layout.empty() && layout != "dense") text += " layout=" + layout;
  if (!values.empty() && values != "default") text += " values=" + values;
  return text;
}

std::string Measures(const Json& result) {
  double max_abs = 0;
  double max_rel = 0;
  std::string extra;
  for (const Json& output : List(result, "outputs")) {
    max_abs = std::max(max_abs, Number(output, "max_abs"));
    max_rel = std::max(max_rel, Number(output, "max_rel"));
    const double score = Number(output, "score");
    const std::string metric = Text(output, "metric");
    if (metric == "cosine") extra = fmt::format(" cos={:.5f}", score);
    if (metric.starts_with("topk")) extra = fmt::format(" overlap={:.4f}", score);
    if (metric == "matched_ratio" && score < 1) extra = fmt::format(" ratio={:.4f}", score);
  }
  return fmt::format("max_abs={:.3e} max_rel={:.3e}{}", max_abs, max_rel, extra);
}

std::string MissingLayers(const Json& isolation) {
  const Json& layers = Member(isolation, "layers");
  if (!layers.is_object()) return "";
  std::string missing;
  for (const auto& [name, active] : layers.as_object()) {
    if (active == Json(false)) missing += (missing.empty() ? "" : ", ") + name;
  }
  return missing;
}

}  // namespace cacheon::report
