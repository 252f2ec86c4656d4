// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/verdict_sarif.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "src/report/verdict_for_test.h"

namespace cacheon::report {
namespace {

TEST(ErrorsOf, NamesTheRowAndThePlace) {
  const std::vector<Error> errors = ErrorsOf(VerdictDocument(), "bundles/mine");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code, Code("cmp.ratio"));
  EXPECT_EQ(errors[0].message, "norm.rmsnorm:fast: 50 % are off");
  EXPECT_EQ(errors[0].where,
            (Place{.file = "bundles/mine/manifest.toml", .key_path = "out[2, 5]"}));
  EXPECT_EQ(errors[0].hint, "a hint");
}

TEST(ErrorsOf, GivesWhatCasesHaveInCommonOnce) {
  Json document = VerdictDocument();
  RowOf(document)["cases"].Append(CaseObject("FAIL", 1,
                                             {ErrorObject("cmp.ratio", "60 % are off", "out[0, 1]"),
                                              ErrorObject("mem.oob_write", "1 byte", "out")}));
  const std::vector<Error> errors = ErrorsOf(document);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].message, "norm.rmsnorm:fast: 50 % are off (2 cases)");
  EXPECT_EQ(errors[1].code, Code("mem.oob_write"));
}

TEST(ErrorsOf, KeepsLinesAndSeverityOfTheBundlesErrors) {
  Json document = VerdictDocument();
  Json error = ErrorObject("call.return_value", "m");
  error["severity"] = "warning";
  error["where"] = Json::Object{{"file", "kernel.py"}, {"line", 3}, {"column", 4}};
  document["errors"] = Json::Array{std::move(error)};
  const std::vector<Error> errors = ErrorsOf(document);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].where, (Place{.file = "kernel.py", .line = 3, .column = 4}));
  EXPECT_EQ(errors[0].severity, Severity::kWarning);
  EXPECT_EQ(errors[0].message, "m");
}

TEST(ErrorsOf, LeavesOutWhatItDoesNotKnow) {
  Json document = VerdictDocument();
  document["errors"] = Json::Array{7, "text", ErrorObject("no.such_code", "m"),
                                   Json::Object{{"code", 3}, {"where", 4}}};
  EXPECT_EQ(ErrorsOf(document).size(), 1U);
  EXPECT_TRUE(ErrorsOf(Json()).empty());
}

TEST(ErrorsOf, TakesNoPositionThatIsNone) {
  Json document = VerdictDocument();
  Json error = ErrorObject("cmp.ratio", "m");
  error["where"] = Json::Object{{"line", INT64_MAX}, {"column", -1}};
  document["errors"] = Json::Array{std::move(error)};
  EXPECT_EQ(ErrorsOf(document).at(0).where, (Place{.file = "manifest.toml"}));
}

}  // namespace
}  // namespace cacheon::report
