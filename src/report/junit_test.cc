// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/report/verdict_for_test.h"

namespace cacheon::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Xml(const Json& document) { return JUnitXml({&document, 1}); }

TEST(JUnitXml, HasASuitePerRowAndATestPerCase) {
  EXPECT_THAT(Xml(VerdictDocument()),
              HasSubstr("<testsuite name=\"mine.norm.rmsnorm:fast\" tests=\"3\" failures=\"1\" "
                        "errors=\"0\" skipped=\"1\" time=\"0.004500\">"));
}

TEST(JUnitXml, SaysHowEachCaseEnded) {
  const std::string xml = Xml(VerdictDocument());
  EXPECT_THAT(xml,
              HasSubstr("name=\"dtype=float32 num_tokens=4 layout=padded\" time=\"0.001500\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"cmp.ratio\" message=\"50 % are off\">"
                             "cmp.ratio: out[2, 5]: 50 % are off\n    a hint\n</failure>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"num_tokens: above 8\"/>"));
}

TEST(JUnitXml, AFaultOfTheMachineIsAnErrorAndNoFailure) {
  Json document = VerdictDocument();
  CaseOf(document, 1)["status"] = "ERROR";
  const std::string xml = Xml(document);
  EXPECT_THAT(xml, HasSubstr("failures=\"0\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"cmp.ratio\""));
}

TEST(JUnitXml, ARowInWhichNothingRanIsAFailure) {
  Json document = VerdictDocument();
  RowOf(document)["status"] = "N/A";
  RowOf(document)["cases"] = Json::Array{};
  RowOf(document)["errors"] = Json::Array{ErrorObject("verify.nothing_ran", "no case")};
  const std::string xml = Xml(document);
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(
      xml,
      HasSubstr("name=\"row\" time=\"0.000000\">\n      <failure type=\"verify.nothing_ran\""));
}

TEST(JUnitXml, ABundleThatCannotBeReadIsATestOfItsOwn) {
  Json document = VerdictDocument();
  document["rows"] = Json::Array{};
  document["errors"] = Json::Array{ErrorObject("manifest.missing", "no manifest")};
  EXPECT_THAT(Xml(document), HasSubstr("name=\"bundle\""));
}

TEST(JUnitXml, WarningsOfAPassedCaseAreItsOutput) {
  Json document = VerdictDocument();
  Json warning = ErrorObject("call.return_value", "returned");
  warning["severity"] = "warning";
  CaseOf(document, 0)["errors"] = Json::Array{std::move(warning)};
  EXPECT_THAT(Xml(document), HasSubstr("<system-out>call.return_value: returned\n"));
}

TEST(JUnitXml, EscapesWhatTheBundleChose) {
  Json document = VerdictDocument();
  RowOf(document)["slot"] = kHostileText;
  CaseOf(document, 1)["errors"].as_array().at(0)["message"] = kHostileText;
  const std::string xml = Xml(document);
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
  EXPECT_THAT(xml, Not(HasSubstr("\xFF")));
  EXPECT_THAT(xml, Not(HasSubstr("\xEF\xBF\xBE")));
  EXPECT_THAT(xml, HasSubstr("&lt;script&gt;&quot;&#39;&amp;"));
}

TEST(JUnitXml, HoldsSeveralDocuments) {
  const std::vector<Json> documents = {VerdictDocument(), VerdictDocument()};
  const std::string xml = JUnitXml(documents);
  EXPECT_NE(xml.find("<testsuite "), xml.rfind("<testsuite "));
}

}  // namespace
}  // namespace cacheon::report
