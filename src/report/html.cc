// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/html.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/report/fields.h"
#include "src/report/markup.h"

namespace cacheon::report {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>cacheon verdict</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #1b1f24; background: #fff; }
h1 { font-size: 1.4em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; margin: .6em 0; }
th, td { border-bottom: 1px solid #d8dee4; padding: .3em .6em; text-align: left; vertical-align: top; }
code, td.number { font: 13px/1.45 ui-monospace, monospace; }
.good { color: #116329; } .bad { color: #a40e26; } .neutral { color: #7d4e00; }
.status { font-weight: 600; white-space: nowrap; }
.error { margin: .3em 0; } .hint { color: #57606a; }
</style>
</head>
<body>
)";

std::string StatusHtml(const std::string& status) {
  const bool good = status == "PASS" || status == "NUMERICAL_PASS";
  const bool bad = status == "FAIL" || status == "ERROR";
  return fmt::format("<span class=\"status {}\">{}</span>",
                     good  ? "good"
                     : bad ? "bad"
                           : "neutral",
                     Markup(status));
}

std::string ErrorsHtml(const Json& holder) {
  std::string html;
  for (const Json& error : List(holder, "errors")) {
    const std::string place = PlaceOf(error);
    const std::string severity = Text(error, "severity");
    html +=
        fmt::format("<p class=\"error\">{}<code>{}</code>{}{}: {}",
                    severity == "error" ? "" : Markup(severity) + ": ", Markup(Text(error, "code")),
                    place.empty() ? "" : " at ", Markup(place), Markup(Text(error, "message")));
    const std::string hint = Text(error, "hint");
    html += hint.empty() ? "</p>\n"
                         : fmt::format("<br><span class=\"hint\">{}</span></p>\n", Markup(hint));
  }
  return html;
}

// The checks that did not succeed, by name.
std::string ChecksHtml(const Json& result) {
  const Json& checks = Member(result, "checks");
  if (!checks.is_object()) return "";
  std::string html;
  for (const auto& [name, state] : checks.as_object()) {
    if (state != Json("failed")) continue;
    html += fmt::format("{}<span class=\"bad\">{}</span>", html.empty() ? "" : ", ", Markup(name));
  }
  return html;
}

std::string WorstHtml(const Json& result) {
  std::string html;
  for (const Json& output : List(result, "outputs")) {
    const Json& worst = Member(output, "worst");
    if (!worst.is_object()) continue;
    std::string index;
    for (const Json& i : List(worst, "index"))
      index += (index.empty() ? "" : ", ") + DocumentJson(i);
    html += fmt::format("{}<code>{}[{}]</code> expected {:.6g}, got {:.6g}",
                        html.empty() ? "" : "<br>", Markup(Text(output, "name")), Markup(index),
                        Number(worst, "expected"), Number(worst, "actual"));
  }
  return html;
}

std::string CaseTable(const std::vector<const Json*>& cases) {
  std::string html =
      "<table>\n<tr><th>status</th><th>case</th><th>measures</th><th>worst element</th>"
      "<th>failed checks</th></tr>\n";
  for (const Json* result : cases) {
    const bool measured = !List(*result, "outputs").empty();
    html += fmt::format(
        "<tr><td>{}</td><td><code>{}</code>{}{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        StatusHtml(Text(*result, "status")), Markup(CaseName(*result)),
        Text(*result, "mismatch").empty() ? "" : "<br>" + Markup(Text(*result, "mismatch")),
        ErrorsHtml(*result), measured ? Markup(Measures(*result)) : "", WorstHtml(*result),
        ChecksHtml(*result));
  }
  return html + "</table>\n";
}

std::string RowHtml(const Json& row) {
  std::string html =
      fmt::format("<h2>{} <code>{}</code></h2>\n<p>entry <code>{}</code>, graph {}</p>\n",
                  StatusHtml(Text(row, "status")), Markup(RowName(row)), Markup(Text(row, "entry")),
                  Markup(Text(row, "graph")));
  html += ErrorsHtml(row);
  std::vector<const Json*> passed;
  std::vector<const Json*> others;
  for (const Json& result : List(row, "cases")) {
    const bool plain = Text(result, "status") == "PASS" && List(result, "errors").empty();
    (plain ? passed : others).push_back(&result);
  }
  if (!others.empty()) html += CaseTable(others);
  if (!passed.empty()) {
    html += fmt::format("<details><summary>{} cases passed</summary>\n{}</details>\n",
                        passed.size(), CaseTable(passed));
  }
  return html;
}

std::string FactRow(std::string_view name, const std::string& value) {
  if (value.empty()) return "";
  return fmt::format("<tr><th>{}</th><td><code>{}</code></td></tr>\n", name, Markup(value));
}

std::string DocumentHtml(const Json& document) {
  const Json& bundle = Member(document, "bundle");
  const Json& environment = Member(document, "environment");
  const Json& isolation = Member(environment, "isolation");
  std::string html = fmt::format("<h1>{} {}</h1>\n", StatusHtml(Text(document, "status")),
                                 Markup(Text(bundle, "bundle_id")));
  html += ErrorsHtml(document);
  html += "<table>\n" + FactRow("content hash", Text(bundle, "content_hash")) +
          FactRow("target", Text(document, "target")) +
          FactRow("seed", DocumentJson(Member(document, "seed"))) +
          FactRow("device", Text(environment, "device")) +
          FactRow("interpreter", Text(environment, "interpreter")) +
          FactRow("torch", Text(environment, "torch")) +
          FactRow("isolation", Text(isolation, "level")) +
          FactRow("missing layers", MissingLayers(isolation)) +
          FactRow("cacheon", Text(Member(document, "tool"), "version")) +
          FactRow("digest", Text(document, "digest")) + "</table>\n";
  for (const Json& row : List(document, "rows")) html += RowHtml(row);
  return html;
}

}  // namespace

std::string HtmlPage(std::span<const Json> documents) {
  std::string html(kHead);
  for (const Json& document : documents) html += DocumentHtml(document);
  return html + "</body>\n</html>\n";
}

}  // namespace cacheon::report
