// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/core/utf8.h"

namespace cacheon::report {
namespace {

// Cases that are shown one by one; a kernel that is wrong is usually wrong in the same way
// everywhere.
constexpr std::size_t kShownCases = 4;

std::string Text(const Json& object, std::string_view key) {
  const Json* value = object.Find(key);
  return value != nullptr && value->is_string() ? value->as_string() : "";
}

const Json::Array& List(const Json& object, std::string_view key) {
  static const Json::Array kEmpty;
  const Json* value = object.Find(key);
  return value != nullptr && value->is_array() ? value->as_array() : kEmpty;
}

double Number(const Json& object, std::string_view key) {
  const Json* value = object.Find(key);
  if (value == nullptr) return 0;
  if (value->is_number()) return value->as_double();
  if (*value == Json("inf")) return HUGE_VAL;
  return *value == Json("nan") ? NAN : 0;
}

std::string Indented(std::string_view text, int width) {
  const std::string margin(static_cast<std::size_t>(width), ' ');
  std::string out = margin;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += margin;
  }
  return out;
}

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}

  std::string Status(std::string_view status) const {
    if (!colour_) return std::string(status);
    const bool good = status == "PASS" || status == "NUMERICAL_PASS" || status == "ok";
    const bool neutral = status == "N/A" || status == "warning" || status == "note";
    return fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : neutral ? 33 : 31, status);
  }

 private:
  bool colour_;
};

std::string PlaceText(const Json& error) {
  const Json* where = error.Find("where");
  if (where == nullptr) return "";
  std::string place = Text(*where, "file");
  const auto line = static_cast<int>(Number(*where, "line"));
  const auto column = static_cast<int>(Number(*where, "column"));
  if (line > 0) place += fmt::format("{}{}", place.empty() ? "line " : ":", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  const std::string key_path = Text(*where, "key_path");
  if (!key_path.empty()) place += (place.empty() ? "" : ": ") + key_path;
  return place.empty() ? "" : place + ": ";
}

std::string ErrorText(const Json& error, int indent) {
  std::string text =
      fmt::format("{}: {}{}", Text(error, "code"), PlaceText(error), Text(error, "message"));
  if (Text(error, "severity") != "error") text = Text(error, "severity") + ": " + text;
  std::string out = Indented(Printable(text), indent) + "\n";
  if (const std::string hint = Text(error, "hint"); !hint.empty()) {
    out += Indented(Printable(hint), indent + 4) + "\n";
  }
  return out;
}

std::string ParametersText(const Json& result) {
  std::string text;
  const Json* parameters = result.Find("parameters");
  if (parameters != nullptr && parameters->is_object()) {
    for (const auto& [name, value] : parameters->as_object()) {
      if (!text.empty()) text += ' ';
      text +=
          fmt::format("{}={}", name, value.is_string() ? value.as_string() : DocumentJson(value));
    }
  }
  if (Text(result, "layout") != "dense") text += " layout=" + Text(result, "layout");
  if (Text(result, "value_profile") != "default")
    text += " values=" + Text(result, "value_profile");
  return text;
}

// "max_abs=1.2e-07 max_rel=3.4e-06" of the worst output.
std::string MeasuresText(const Json& result) {
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

std::string CaseText(const Json& result, const Painter& painter) {
  const std::string status = Text(result, "status");
  const bool good = status == "PASS" || status == "NUMERICAL_PASS";
  std::string out = fmt::format("  {:4} {}", good ? "ok" : status, ParametersText(result));
  if (status == "N/A") return Printable(out + "  (" + Text(result, "mismatch") + ")") + "\n";
  if (!List(result, "outputs").empty()) out += "  " + MeasuresText(result);
  out = Printable(out) + "\n";
  if (!good) out = "  " + painter.Status(status) + out.substr(2 + status.size());
  for (const Json& error : List(result, "errors")) out += ErrorText(error, 7);
  return out;
}

// One line for all cases that passed, with the worst measures among them.
std::string PassedText(const std::vector<const Json*>& passed) {
  double max_abs = 0;
  double max_rel = 0;
  for (const Json* result : passed) {
    for (const Json& output : List(*result, "outputs")) {
      max_abs = std::max(max_abs, Number(output, "max_abs"));
      max_rel = std::max(max_rel, Number(output, "max_rel"));
    }
  }
  return fmt::format("  ok   {} cases, at worst max_abs={:.3e} max_rel={:.3e}\n", passed.size(),
                     max_abs, max_rel);
}

// One line for the cases that are not shown: how many there are of each kind.
std::string RestText(std::span<const Json* const> rest) {
  std::map<std::string, int> counts;
  for (const Json* result : rest) {
    const Json::Array& errors = List(*result, "errors");
    ++counts[errors.empty() ? Text(*result, "status") : Text(errors.front(), "code")];
  }
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  }
  return fmt::format("  and {} more cases ({}); --verbose shows them\n", rest.size(), text);
}

std::string RowText(const Json& row, const TextOptions& options, const Painter& painter) {
  const Json* coverage = row.Find("coverage");
  std::string out = fmt::format("[{}] {}", painter.Status(Text(row, "status")), Text(row, "slot"));
  if (const std::string variant = Text(row, "variant"); !variant.empty())
    out += " variant=" + variant;
  out += fmt::format(" graph={}", Text(row, "graph"));
  if (coverage != nullptr) {
    const auto applicable = static_cast<std::int64_t>(Number(*coverage, "applicable"));
    const auto others = static_cast<std::int64_t>(Number(*coverage, "not_applicable"));
    out += fmt::format(" cases={}/{}", applicable, applicable + others);
  }
  out += "\n";
  for (const Json& error : List(row, "errors")) out += ErrorText(error, 2);
  std::vector<const Json*> passed;
  std::vector<const Json*> others;
  for (const Json& result : List(row, "cases")) {
    const bool plain = Text(result, "status") == "PASS" && List(result, "errors").empty();
    (plain && !options.every_case ? passed : others).push_back(&result);
  }
  const std::size_t shown =
      options.every_case ? others.size() : std::min(others.size(), kShownCases);
  for (std::size_t i = 0; i < shown; ++i) out += CaseText(*others[i], painter);
  if (shown < others.size()) out += RestText(std::span(others).subspan(shown));
  if (!passed.empty()) out += PassedText(passed);
  if (Text(row, "status") == "NUMERICAL_PASS") {
    out +=
        "  numerically right; graph evidence is missing and needs a GPU: "
        "run `cacheon verify --device cuda` on one\n";
  }
  return out;
}

std::string IsolationText(const Json& document) {
  const Json* environment = document.Find("environment");
  const Json* isolation = environment == nullptr ? nullptr : environment->Find("isolation");
  if (isolation == nullptr || Text(*isolation, "level").empty()) return "";
  std::string missing;
  const Json* layers = isolation->Find("layers");
  if (layers != nullptr && layers->is_object()) {
    for (const auto& [name, active] : layers->as_object()) {
      if (active == Json(false)) missing += (missing.empty() ? "" : ", ") + name;
    }
  }
  std::string out = fmt::format("isolation: {}", Text(*isolation, "level"));
  if (!missing.empty()) out += "; missing here: " + missing;
  return out + "\n";
}

}  // namespace

std::string VerdictText(const Json& document, const TextOptions& options) {
  const Painter painter(options.colour);
  std::string out;
  for (const Json& error : List(document, "errors")) out += ErrorText(error, 0);
  for (const Json& row : List(document, "rows")) out += RowText(row, options, painter);
  out += IsolationText(document);
  const Json* bundle = document.Find("bundle");
  const std::string hash = bundle == nullptr ? "" : Text(*bundle, "content_hash");
  if (!hash.empty()) out += fmt::format("bundle: {} {}\n", Text(*bundle, "bundle_id"), hash);
  if (const Json* seed = document.Find("seed"))
    out += fmt::format("seed: {}\n", DocumentJson(*seed));
  out += fmt::format("verdict: {}\n", painter.Status(Text(document, "status")));
  return out;
}

}  // namespace cacheon::report
