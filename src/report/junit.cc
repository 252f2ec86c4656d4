// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/junit.h"

#include <fmt/format.h>

#include <string_view>

#include "src/report/fields.h"
#include "src/report/markup.h"

namespace cacheon::report {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

struct Suite {
  std::string name;
  std::string tests = {};  // the elements
  int test_count = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;
};

// "CODE: place: message" and the hint, a line each.
std::string ErrorLines(const Json::Array& errors) {
  std::string text;
  for (const Json& error : errors) {
    const std::string place = PlaceOf(error);
    const std::string hint = Text(error, "hint");
    text += fmt::format("{}: {}{}{}\n", Text(error, "code"), place, place.empty() ? "" : ": ",
                        Text(error, "message"));
    if (!hint.empty()) text += fmt::format("    {}\n", hint);
  }
  return text;
}

const Json* FirstError(const Json::Array& errors) {
  for (const Json& error : errors) {
    if (Text(error, "severity") == "error") return &error;
  }
  return nullptr;
}

// Adds a test with this outcome; `status` is that of the case, row or bundle.
void AddTest(Suite& suite, std::string_view name, std::string_view status, double seconds,
             const Json& holder) {
  ++suite.test_count;
  suite.seconds += seconds;
  suite.tests += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                             Markup(suite.name), Markup(name), seconds);
  const Json::Array& errors = List(holder, "errors");
  const Json* first = FirstError(errors);
  std::string_view element;
  if (status == "ERROR") {
    element = "error";
    ++suite.errors;
  } else if (status == "FAIL" || (status == "N/A" && first != nullptr)) {
    element = "failure";
    ++suite.failures;
  } else if (status == "N/A") {
    ++suite.skipped;
    suite.tests += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                               Markup(Text(holder, "mismatch")));
    return;
  } else {
    suite.tests += errors.empty()
                       ? "/>\n"
                       : fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n",
                                     MarkupLines(ErrorLines(errors)));
    return;
  }
  suite.tests += fmt::format(
      ">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", element,
      Markup(first == nullptr ? "" : Text(*first, "code")),
      Markup(first == nullptr ? "" : Text(*first, "message")), MarkupLines(ErrorLines(errors)));
}

Suite RowSuite(const std::string& bundle, const Json& row) {
  Suite suite{.name = bundle + (bundle.empty() ? "" : ".") + RowName(row)};
  if (FirstError(List(row, "errors")) != nullptr) {
    AddTest(suite, "row", Text(row, "status"), 0, row);
  }
  for (const Json& result : List(row, "cases")) {
    const double seconds = Number(Member(result, "timing_ns"), "call") / kNanosecondsPerSecond;
    AddTest(suite, CaseName(result), Text(result, "status"), seconds, result);
  }
  return suite;
}

std::string SuiteXml(const Suite& suite) {
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.6f}\">\n{}  </testsuite>\n",
      Markup(suite.name), suite.test_count, suite.failures, suite.errors, suite.skipped,
      suite.seconds, suite.tests);
}

}  // namespace

std::string JUnitXml(std::span<const Json> documents) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cacheon\">\n";
  for (const Json& document : documents) {
    const std::string bundle = Text(Member(document, "bundle"), "bundle_id");
    if (FirstError(List(document, "errors")) != nullptr) {
      Suite suite{.name = bundle};
      AddTest(suite, "bundle", Text(document, "status"), 0, document);
      xml += SuiteXml(suite);
    }
    for (const Json& row : List(document, "rows")) xml += SuiteXml(RowSuite(bundle, row));
  }
  return xml + "</testsuites>\n";
}

}  // namespace cacheon::report
