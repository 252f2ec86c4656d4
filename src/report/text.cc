// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/core/utf8.h"
#include "src/report/fields.h"

namespace cacheon::report {
namespace {

// Cases that are shown one by one; a kernel that is wrong is usually wrong in the same way
// everywhere.
constexpr std::size_t kShownCases = 4;

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
    if (!colour_) return Printable(status);
    const bool good = status == "PASS" || status == "NUMERICAL_PASS" || status == "ok";
    const bool neutral = status == "N/A" || status == "warning" || status == "note";
    return fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : neutral ? 33 : 31, Printable(status));
  }

 private:
  bool colour_;
};

std::string ErrorText(const Json& error, int indent) {
  const std::string place = PlaceOf(error);
  std::string text = fmt::format("{}: {}{}{}", Text(error, "code"), place,
                                 place.empty() ? "" : ": ", Text(error, "message"));
  if (Text(error, "severity") != "error") text = Text(error, "severity") + ": " + text;
  std::string out = Indented(Printable(text), indent) + "\n";
  if (const std::string hint = Text(error, "hint"); !hint.empty()) {
    out += Indented(Printable(hint), indent + 4) + "\n";
  }
  return out;
}

std::string CaseText(const Json& result, const Painter& painter) {
  const std::string status = Text(result, "status");
  const bool good = status == "PASS" || status == "NUMERICAL_PASS";
  std::string out = fmt::format("  {:4} {}", good ? "ok" : status, CaseName(result));
  if (status == "N/A") return Printable(out + "  (" + Text(result, "mismatch") + ")") + "\n";
  if (!List(result, "outputs").empty()) out += "  " + Measures(result);
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
  return fmt::format("  and {} more cases ({}); --verbose shows them\n", rest.size(),
                     Printable(text));
}

std::string RowText(const Json& row, const TextOptions& options, const Painter& painter) {
  const Json::Array& cases = List(row, "cases");
  std::string head = Text(row, "slot");
  if (const std::string variant = Text(row, "variant"); !variant.empty())
    head += " variant=" + variant;
  const auto applicable =
      std::ranges::count_if(cases, [](const Json& one) { return Text(one, "status") != "N/A"; });
  head += fmt::format(" graph={} cases={}/{}", Text(row, "graph"), applicable, cases.size());
  std::string out = fmt::format("[{}] {}\n", painter.Status(Text(row, "status")), Printable(head));
  for (const Json& error : List(row, "errors")) out += ErrorText(error, 2);
  std::vector<const Json*> passed;
  std::vector<const Json*> others;
  for (const Json& result : cases) {
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
  const Json& isolation = Member(Member(document, "environment"), "isolation");
  const std::string level = Text(isolation, "level");
  if (level.empty()) return "";
  const std::string missing = MissingLayers(isolation);
  return Printable("isolation: " + level + (missing.empty() ? "" : "; missing here: " + missing)) +
         "\n";
}

}  // namespace

std::string VerdictText(const Json& document, const TextOptions& options) {
  const Painter painter(options.colour);
  std::string out;
  for (const Json& error : List(document, "errors")) out += ErrorText(error, 0);
  for (const Json& row : List(document, "rows")) out += RowText(row, options, painter);
  out += IsolationText(document);
  const Json& bundle = Member(document, "bundle");
  const std::string hash = Text(bundle, "content_hash");
  if (!hash.empty()) {
    out += fmt::format("bundle: {} {}\n", Printable(Text(bundle, "bundle_id")), Printable(hash));
  }
  if (const Json& seed = Member(document, "seed"); seed.is_integer())
    out += fmt::format("seed: {}\n", DocumentJson(seed));
  out += fmt::format("verdict: {}\n", painter.Status(Text(document, "status")));
  return out;
}

}  // namespace cacheon::report
