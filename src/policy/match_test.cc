// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Eligibility Row(std::string_view text) { return ParseEligibility(ReadJson(text).value()).value(); }

std::vector<std::string> Reasons(std::string_view row, std::string_view call) {
  std::vector<std::string> texts;
  const auto mismatches = Match(Row(row), CallDescriptor::FromJson(ReadJson(call).value()).value());
  for (const Mismatch& mismatch : mismatches) texts.push_back(MismatchText(mismatch));
  return texts;
}

TEST(Match, ReportsEveryBrokenConditionInOrder) {
  EXPECT_THAT(Reasons(R"({"dtypes": ["bf16", "fp16"], "architectures": ["sm90"], "max_last_dim": 64,
                  "min_num_tokens": 2, "capabilities": {"head_dim": 128, "batch_size": [1, 2]}})",
                      R"({"dtype": "fp32", "last_dim": 65, "num_tokens": 1, "quant": "fp8",
                  "graph_mode": "on", "batch_size": 4})"),
              ElementsAre("dtype is 'float32', the row serves one of ['bfloat16', 'float16']",
                          "architecture is unknown, the row serves exactly 'sm90'",
                          "last_dim is 65, the row serves in [-inf, 64]",
                          "num_tokens is 1, the row serves in [2, inf]",
                          "quant is 'fp8', the row serves dense",
                          "graph_mode is 'cuda_graph', the row serves eager (graph_safe is false)",
                          "batch_size is 4, the row serves one of [1, 2]",
                          "head_dim is unknown, the row serves exactly 128"));
}

TEST(Match, SaysTheSameThingOnce) {
  EXPECT_THAT(Reasons(R"({"max_num_tokens": 8, "capabilities": {"num_tokens": {"max": 8}}})",
                      R"({"num_tokens": 9})"),
              ElementsAre("num_tokens is 9, the row serves in [-inf, 8]"));
  EXPECT_THAT(Reasons(R"({"dtypes": ["bf16"], "capabilities": {"dtype": "bf16"}})", "{}").size(),
              1U);
}

TEST(Match, AnUnlistedQuantMeansDenseOnly) {
  EXPECT_THAT(Reasons("{}", R"({"quant": "none"})"), IsEmpty());
  EXPECT_THAT(Reasons("{}", "{}"), IsEmpty());
  EXPECT_THAT(Reasons(R"({"quant": ["nvfp4"]})", "{}"),
              ElementsAre("quant is unknown, the row serves exactly 'nvfp4'"));
}

TEST(Match, UnknownGraphModePassesARowThatIsNotGraphSafe) {
  EXPECT_THAT(Reasons("{}", R"({"graph_mode": "piecewise"})"), IsEmpty());
  EXPECT_THAT(Reasons(R"({"graph_safe": true})", R"({"graph_mode": "replay"})"), IsEmpty());
}

TEST(LegacyAccepts, PassesWhatIsUnknownExceptPredicates) {
  const LegacyCall call{.dtype = "bf16", .last_dim = 8};
  EXPECT_TRUE(
      LegacyAccepts(Row(R"({"architectures": ["sm90"], "max_num_tokens": 4})"), call).value());
  EXPECT_FALSE(LegacyAccepts(Row(R"({"capabilities": {"architecture": "sm90"}})"), call).value());
  EXPECT_FALSE(LegacyAccepts(Row(R"({"capabilities": {"head_dim": 8}})"), call).value());
}

TEST(LegacyAccepts, DoesNotLookAtQuantAndGraphs) {
  const LegacyCall call{.dtype = "bf16", .last_dim = 8, .architecture = "sm_90", .num_tokens = 3};
  EXPECT_TRUE(
      LegacyAccepts(Row(R"({"quant": ["nvfp4"], "architectures": ["sm90"]})"), call).value());
  EXPECT_FALSE(LegacyAccepts(Row(R"({"max_num_tokens": 2})"), call).value());
  EXPECT_FALSE(LegacyAccepts(Row(R"({"max_last_dim": 7})"), call).value());
  EXPECT_FALSE(LegacyAccepts(Row(R"({"dtypes": ["fp16"]})"), call).value());
}

TEST(LegacyAccepts, RefusesBlankText) {
  EXPECT_EQ(LegacyAccepts({}, {.dtype = " ", .last_dim = 1}).error().code, Code("cap.value"));
}

}  // namespace
}  // namespace cacheon::policy
