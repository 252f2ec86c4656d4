// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/sarif.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cacheon::report {
namespace {

const Json& RunOf(const Json& log) { return log.Find("runs")->as_array().at(0); }

const Json& ResultAt(const Json& log, std::size_t i) {
  return RunOf(log).Find("results")->as_array().at(i);
}

const Json& PhysicalOf(const Json& result) {
  return *result.Find("locations")->as_array().at(0).Find("physicalLocation");
}

TEST(Sarif, WritesRuleMessageAndPlace) {
  const std::vector<Error> errors = {{.code = "io.open",
                                      .message = "cannot open",
                                      .where = {.file = "ops/a b.py", .line = 3, .column = 5},
                                      .hint = "name a file",
                                      .symbol = "x"}};
  const Json log = SarifLog(errors, "1.2.3", "bundles/k/");
  EXPECT_EQ(log.Find("version")->as_string(), "2.1.0");
  EXPECT_EQ(RunOf(log).Find("columnKind")->as_string(), "unicodeCodePoints");
  const Json& result = ResultAt(log, 0);
  EXPECT_EQ(result.Find("ruleId")->as_string(), "io.open");
  EXPECT_EQ(result.Find("level")->as_string(), "error");
  EXPECT_EQ(result.Find("message")->Find("text")->as_string(), "cannot open. name a file");
  const Json& place = PhysicalOf(result);
  EXPECT_EQ(place.Find("artifactLocation")->Find("uri")->as_string(), "bundles/k/ops/a%20b.py");
  EXPECT_EQ(place.Find("region")->Find("startLine")->as_int64(), 3);
  EXPECT_EQ(place.Find("region")->Find("startColumn")->as_int64(), 5);
  const Json& driver = *RunOf(log).Find("tool")->Find("driver");
  EXPECT_EQ(driver.Find("version")->as_string(), "1.2.3");
  const Json& rule = driver.Find("rules")->as_array().at(0);
  EXPECT_EQ(rule.Find("id")->as_string(), "io.open");
  EXPECT_FALSE(rule.Find("help")->Find("text")->as_string().empty());
}

TEST(Sarif, PlacesWhatHasNoPlace) {
  const std::vector<Error> errors = {{.code = "io.open", .message = "m"}};
  const Json log = SarifLog(errors, "1");
  const Json& place = PhysicalOf(ResultAt(log, 0));
  EXPECT_EQ(place.Find("artifactLocation")->Find("uri")->as_string(), "manifest.toml");
  EXPECT_EQ(place.Find("region")->Find("startLine")->as_int64(), 1);
  EXPECT_EQ(place.Find("region")->Find("startColumn"), nullptr);
}

TEST(Sarif, PutsErrorsFirstAndEachRuleOnce) {
  const std::vector<Error> errors = {
      {.code = "io.write", .message = "w", .severity = Severity::kNote},
      {.code = "io.open", .message = "a", .where = {.key_path = "ops[0].slot"}},
      {.code = "io.open", .message = "b"}};
  const Json log = SarifLog(errors, "1");
  EXPECT_EQ(ResultAt(log, 0).Find("message")->Find("text")->as_string(), "a");
  EXPECT_EQ(ResultAt(log, 2).Find("level")->as_string(), "note");
  const auto& rules = RunOf(log).Find("tool")->Find("driver")->Find("rules")->as_array();
  ASSERT_EQ(rules.size(), 2U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& result = ResultAt(log, i);
    const auto index = static_cast<std::size_t>(result.Find("ruleIndex")->as_int64());
    EXPECT_EQ(rules.at(index).Find("id")->as_string(), result.Find("ruleId")->as_string());
  }
}

TEST(Sarif, KeepsFingerprintsApartAndAcrossMovedLines) {
  const auto fingerprint = [](const Json& log, std::size_t i) {
    return ResultAt(log, i).Find("partialFingerprints")->Find("cacheonFinding/v1")->as_string();
  };
  std::vector<Error> errors(2, Error{.code = "io.open", .message = "m", .where = {.line = 1}});
  const Json before = SarifLog(errors, "1");
  EXPECT_NE(fingerprint(before, 0), fingerprint(before, 1));
  errors[0].where.line = 7;
  EXPECT_EQ(fingerprint(before, 0), fingerprint(SarifLog(errors, "1"), 0));
}

TEST(Sarif, IsBounded) {
  const std::vector<Error> errors(kMaxSarifResults + 1, Error{.code = "io.open", .message = "m"});
  EXPECT_EQ(RunOf(SarifLog(errors, "1")).Find("results")->as_array().size(), kMaxSarifResults);
}

TEST(Sarif, IsAWholeLogWithoutErrors) {
  const Json log = SarifLog({}, "1");
  EXPECT_TRUE(RunOf(log).Find("results")->as_array().empty());
}

}  // namespace
}  // namespace cacheon::report
