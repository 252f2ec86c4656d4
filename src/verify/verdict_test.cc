// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/core/sha256.h"

namespace cacheon::verify {
namespace {

using enum RunStatus;

TEST(RunStatus, HasANameThatReadsBack) {
  std::set<std::string_view> names;
  for (const RunStatus status : {kPass, kNumericalPass, kFail, kNotApplicable, kError}) {
    EXPECT_EQ(ParseStatus(StatusName(status)), status);
    names.insert(StatusName(status));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"PASS", "NUMERICAL_PASS", "FAIL", "N/A", "ERROR"}));
  EXPECT_EQ(ParseStatus("pass"), std::nullopt);
  EXPECT_EQ(ParseStatus(""), std::nullopt);
}

TEST(RunStatus, OfAWholeIsTheWorstOfItsParts) {
  EXPECT_EQ(CombineStatus({kPass, kError, kFail}), kError);
  EXPECT_EQ(CombineStatus({kPass, kNotApplicable, kFail}), kFail);
  EXPECT_EQ(CombineStatus({kPass, kNumericalPass}), kNumericalPass);
  EXPECT_EQ(CombineStatus({kNotApplicable, kPass}), kPass);
  EXPECT_EQ(CombineStatus({kNotApplicable, kNotApplicable}), kNotApplicable);
  EXPECT_EQ(CombineStatus({}), kNotApplicable);
}

TEST(Checks, AFailureStays) {
  Checks checks;
  EXPECT_EQ(checks[Check::kGuards], CheckState::kUnavailable);
  checks.Set(Check::kGuards, true);
  EXPECT_EQ(checks[Check::kGuards], CheckState::kOk);
  checks.Set(Check::kGuards, false);
  checks.Set(Check::kGuards, true);
  EXPECT_EQ(checks[Check::kGuards], CheckState::kFailed);
}

Verdict WithStatus(RunStatus status, std::vector<Error> errors = {}) {
  Verdict verdict;
  verdict.status = status;
  verdict.errors = std::move(errors);
  return verdict;
}

TEST(ExitStatusOf, FollowsTheStatus) {
  EXPECT_EQ(ExitStatusOf(WithStatus(kPass)), ExitStatus::kAccepted);
  EXPECT_EQ(ExitStatusOf(WithStatus(kNumericalPass)), ExitStatus::kAccepted);
  EXPECT_EQ(ExitStatusOf(WithStatus(kFail)), ExitStatus::kRefused);
  EXPECT_EQ(ExitStatusOf(WithStatus(kNotApplicable)), ExitStatus::kRefused);
}

TEST(ExitStatusOf, AnErrorNamesWhoseFaultItIs) {
  const auto of = [](Code code) {
    return ExitStatusOf(WithStatus(kError, {{.code = code, .message = "m"}}));
  };
  EXPECT_EQ(of("worker.start"), ExitStatus::kEnvironment);
  EXPECT_EQ(of("slot.expected_not_finite"), ExitStatus::kInternal);
  EXPECT_EQ(of("usage.no_bundle"), ExitStatus::kUsage);
  EXPECT_EQ(of("cand.exit"), ExitStatus::kEnvironment);
  EXPECT_EQ(ExitStatusOf(WithStatus(kError)), ExitStatus::kEnvironment);
}

TEST(ExitStatusOf, LooksAtRowsAndCases) {
  Verdict verdict = WithStatus(kError, {{.code = "usage.no_bundle", .message = "m"}});
  RowVerdict row;
  row.errors = {{.code = "worker.start", .message = "m"}};
  verdict.rows.push_back(row);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kEnvironment);
  CaseVerdict one;
  one.errors = {{.code = "slot.expected_not_finite", .message = "m"}};
  verdict.rows[0].cases.push_back(one);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kInternal);
}

Verdict Full() {
  Verdict verdict = WithStatus(kFail);
  verdict.bundle_id = "b";
  verdict.seed = UINT64_MAX;
  RowVerdict row{.slot = "norm.rmsnorm", .variant = "default", .entry = "rmsnorm"};
  CaseVerdict one{.origin = {.parameters = {{"hidden", Json(8)}}}, .status = kFail};
  one.outputs.push_back(
      {.name = "out",
       .comparison = {.max_abs = HUGE_VAL, .worst = tensor::WorstElement{{1, 2}, 1.5, -HUGE_VAL}},
       .unwritten = 3});
  one.checks.Set(Check::kCoverage, false);
  CaseVerdict other{
      .origin = {}, .applicable = false, .mismatch = "dtype", .status = kNotApplicable};
  row.cases = {one, other};
  verdict.rows.push_back(row);
  return verdict;
}

TEST(VerdictToJson, DigestsEverythingElse) {
  Json document = VerdictToJson(Full());
  const std::string digest = document.Find("digest")->as_string();
  EXPECT_TRUE(CheckVerdictDocument(document));
  document.as_object().erase("digest");
  EXPECT_EQ(digest, Sha256Hex(DocumentJson(document)));
}

TEST(VerdictToJson, SurvivesWritingAndReading) {
  const Json document = VerdictToJson(Full());
  for (const std::string& text : {DocumentJson(document), PrettyJson(document)}) {
    const Result<Json> read = ReadJson(text);
    ASSERT_TRUE(read);
    EXPECT_TRUE(CheckVerdictDocument(*read));
  }
}

TEST(VerdictToJson, HoldsWhatACaseShowed) {
  const Json document = VerdictToJson(Full());
  EXPECT_EQ(*document.Find("seed"), Json(UINT64_MAX));
  const Json& row = document.Find("rows")->as_array().at(0);
  EXPECT_EQ(*row.Find("coverage"),
            Json(Json::Object{{"required", 1}, {"applicable", 1}, {"not_applicable", 1}}));
  const Json& one = row.Find("cases")->as_array().at(0);
  EXPECT_EQ(*one.Find("checks")->Find("coverage"), Json("failed"));
  EXPECT_EQ(*one.Find("checks")->Find("settled"), Json("unavailable"));
  EXPECT_EQ(one.Find("checks")->as_object().size(), kCheckCount);
  EXPECT_EQ(*one.Find("parameters")->Find("dtype"), Json("float32"));
  const Json& output = one.Find("outputs")->as_array().at(0);
  EXPECT_EQ(*output.Find("unwritten"), Json(3));
  EXPECT_EQ(*output.Find("worst")->Find("index"), Json(Json::Array{1, 2}));
  const Json& other = row.Find("cases")->as_array().at(1);
  EXPECT_EQ(*other.Find("applicable"), Json(false));
  EXPECT_EQ(*other.Find("mismatch"), Json("dtype"));
}

TEST(CheckVerdictDocument, RefusesOtherSchemas) {
  Json document = VerdictToJson(Full());
  document["schema"] = "cacheon.verdict.v2";
  const Status status = CheckVerdictDocument(document);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code("verdict.schema"));
  EXPECT_EQ(status.error().where.key_path, "schema");
}

TEST(CheckVerdictDocument, RefusesAnyChange) {
  const Json original = VerdictToJson(Full());
  for (const char* key : {"status", "seed", "rows", "environment", "digest"}) {
    Json document = original;
    document[key] = "changed";
    const Status status = CheckVerdictDocument(document);
    ASSERT_FALSE(status) << key;
    EXPECT_EQ(status.error().code, Code("verdict.digest")) << key;
    EXPECT_EQ(status.error().where.key_path, "digest") << key;
  }
}

}  // namespace
}  // namespace cacheon::verify
