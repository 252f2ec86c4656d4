// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/domain.h"

#include <gtest/gtest.h>

#include "cacheon/policy/match.h"
#include "src/policy/random_rows_for_test.h"

namespace cacheon::policy {
namespace {

Domain Of(std::string_view text) {
  return Domain::Of(ParseEligibility(ReadJson(text).value()).value());
}

TEST(Domain, AQuantPredicateNeedsTheListToo) {
  EXPECT_EQ(Of(R"({"capabilities": {"quant": "nvfp4"}})").IsEmpty(), true);
  EXPECT_EQ(Of(R"({"quant": ["nvfp4"], "capabilities": {"quant": "nvfp4"}})").IsEmpty(), false);
}

TEST(Domain, AGraphPredicateNeedsGraphSafe) {
  EXPECT_EQ(Of(R"({"capabilities": {"graph_mode": "capture"}})").IsEmpty(), true);
  EXPECT_EQ(Of(R"({"capabilities": {"graph_mode": ["capture", "eager"]}})").IsEmpty(), false);
}

TEST(Overlap, GraphSafetyAloneDoesNotSeparateRows) {
  EXPECT_EQ(Overlap(Of(R"({"graph_safe": true})"), Of("{}")), true);
}

TEST(Overlap, RowsOnDifferentFieldsMeet) {
  const Domain left = Of(R"({"capabilities": {"head_dim": 64}})");
  const Domain right = Of(R"({"capabilities": {"num_tokens": {"min": 64}}})");
  EXPECT_EQ(Overlap(left, right), true);
  EXPECT_EQ(Domain::Intersect(left, right).Witness()->Text(), "head_dim=64, num_tokens=64");
}

TEST(Overlap, RangesThatTouchMeetAtTheirEnd) {
  const Domain below = Of(R"({"max_num_tokens": 64})");
  EXPECT_EQ(Overlap(below, Of(R"({"min_num_tokens": 65})")), false);
  const Domain from = Of(R"({"min_num_tokens": 64})");
  EXPECT_EQ(Overlap(below, from), true);
  EXPECT_EQ(Domain::Intersect(below, from).Witness()->Text(), "num_tokens=64");
}

TEST(Overlap, AnEmptyRowMeetsNothing) {
  const Domain empty = Of(R"({"dtypes": ["fp16"], "capabilities": {"dtype": "bf16"}})");
  EXPECT_EQ(Overlap(empty, Of("{}")), false);
  EXPECT_EQ(Overlap(empty, empty), false);
}

TEST(Overlap, IsUnknownWithPrivateFieldsUnlessTheySeparate) {
  Domain one;
  one.Add({.field = "private_x", .required = true, .allowed = {{std::int64_t{1}}}});
  Domain two;
  two.Add({.field = "private_x", .required = true, .allowed = {{std::int64_t{2}}}});
  EXPECT_EQ(Overlap(one, two), false);
  EXPECT_EQ(Overlap(one, one), std::nullopt);
  EXPECT_EQ(one.IsEmpty(), std::nullopt);
  EXPECT_EQ(one.Witness(), std::nullopt);
}

TEST(Witness, NamesAQuantOnlyWhenItIsNotDense) {
  EXPECT_EQ(Of("{}").Witness()->Text(), "");
  EXPECT_EQ(Of(R"({"quant": ["nvfp4"]})").Witness()->Text(), "quant='nvfp4'");
}

// The witness proves true; calls at random may only refute false.
TEST(Overlap, AgreesWithCallsOnRandomRows) {
  RandomRows random(1);
  int met = 0;
  for (int i = 0; i < 2000; ++i) {
    const Eligibility left = random.Row();
    const Eligibility right = random.Row();
    const Domain both = Domain::Intersect(Domain::Of(left), Domain::Of(right));
    const bool overlap = Overlap(Domain::Of(left), Domain::Of(right)).value();
    ASSERT_EQ(overlap, Overlap(Domain::Of(right), Domain::Of(left)).value());
    ASSERT_EQ(overlap, both.Witness().has_value());
    if (overlap) {
      ++met;
      ASSERT_TRUE(Match(left, *both.Witness()).empty()) << both.Witness()->Text();
      ASSERT_TRUE(Match(right, *both.Witness()).empty()) << both.Witness()->Text();
    }
    for (int call = 0; call < 20 && !overlap; ++call) {
      const CallDescriptor descriptor = random.Call();
      ASSERT_FALSE(Match(left, descriptor).empty() && Match(right, descriptor).empty() &&
                   descriptor.Find(Field::kQuant) != nullptr)
          << descriptor.Text();
    }
  }
  EXPECT_GT(met, 100);
  EXPECT_LT(met, 1900);
}

TEST(Domain, AcceptsWhatMatchAcceptsOnRandomRows) {
  RandomRows random(2);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    const Eligibility row = random.Row();
    const CallDescriptor call = random.Call();
    const bool expected = Match(row, call).empty();
    accepted += expected ? 1 : 0;
    ASSERT_EQ(Domain::Of(row).Accepts(call), expected) << call.Text();
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace cacheon::policy
