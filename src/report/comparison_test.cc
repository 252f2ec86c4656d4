// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/report/verdict_for_test.h"

namespace cacheon::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ComparisonText, ShowsWhatChanged) {
  Json other = VerdictDocument();
  other["status"] = "NUMERICAL_PASS";
  RowOf(other)["status"] = "NUMERICAL_PASS";
  CaseOf(other, 1)["status"] = "PASS";
  CaseOf(other, 1)["outputs"].as_array().at(0)["max_abs"] = 0.5;
  EXPECT_EQ(ComparisonText(VerdictDocument(), other),
            "A: mine 00ff seed 7\n"
            "B: mine 00ff seed 7\n"
            "[FAIL -> NUMERICAL_PASS] norm.rmsnorm:fast\n"
            "  max_abs 2.500e-01 5.000e-01\n"
            "  max_rel inf inf\n"
            "  FAIL -> PASS dtype=float32 num_tokens=8 layout=padded\n"
            "  2 cases with the same status\n"
            "verdict: FAIL -> NUMERICAL_PASS\n");
}

TEST(ComparisonText, ShowsRowsAndCasesOfOneSide) {
  Json other = VerdictDocument();
  RowOf(other)["variant"] = "slow";
  const std::string text = ComparisonText(VerdictDocument(), other);
  EXPECT_THAT(text, HasSubstr("[FAIL -> -] norm.rmsnorm:fast\n"));
  EXPECT_THAT(text, HasSubstr("[- -> FAIL] norm.rmsnorm:slow\n"));
  EXPECT_THAT(text, HasSubstr("  PASS -> - dtype=float32 num_tokens=4 layout=padded\n"));
  EXPECT_THAT(text, HasSubstr("  - -> PASS dtype=float32 num_tokens=4 layout=padded\n"));
}

TEST(ComparisonText, PairsCasesThatStandTwice) {
  Json document = VerdictDocument();
  RowOf(document)["cases"].Append(CaseObject("PASS", 4));
  EXPECT_THAT(ComparisonText(document, document), HasSubstr("  4 cases with the same status\n"));
}

TEST(ComparisonText, LeavesTheTerminalAlone) {
  Json document = VerdictDocument();
  RowOf(document)["slot"] = kHostileText;
  document["bundle"]["bundle_id"] = kHostileText;
  const std::string text = ComparisonText(document, VerdictDocument());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xFF")));
}

}  // namespace
}  // namespace cacheon::report
