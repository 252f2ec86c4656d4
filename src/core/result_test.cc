// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace cacheon {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Fail("io.read", "odd", {.line = value});
  return value / 2;
}

Result<int> Quarter(int value) {
  ASSIGN_OR_RETURN(const int half, Half(value));
  ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckQuarter(int value) {
  RETURN_IF_ERROR(Quarter(value));
  return {};
}

TEST(AssignOrReturn, PassesTheErrorOnUnchanged) {
  EXPECT_EQ(Quarter(12).value(), 3);
  const Result<int> failed = Quarter(14);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Code("io.read"));
  EXPECT_EQ(failed.error().where.line, 7);
}

TEST(ReturnIfError, TakesResultsAndStatuses) {
  EXPECT_TRUE(CheckQuarter(8).has_value());
  ASSERT_FALSE(CheckQuarter(6).has_value());
  EXPECT_EQ(CheckQuarter(6).error().where.line, 3);
}

TEST(FailErrno, EndsWithTheWordsOfTheSystem) {
  EXPECT_EQ(FailErrno("io.open", "cannot open", ENOENT).error().message,
            "cannot open: No such file or directory");
}

TEST(Check, EndsTheProcessWithStatus4AndSaysWhatToReport) {
  EXPECT_EXIT(CACHEON_CHECK(1 + 1 == 3, "arithmetic broke"), ::testing::ExitedWithCode(4),
              "internal.check: .*result_test.cc:[0-9]+: arithmetic broke .1 . 1 == 3.");
  CACHEON_CHECK(1 + 1 == 2, "must not fire");
}

}  // namespace
}  // namespace cacheon
