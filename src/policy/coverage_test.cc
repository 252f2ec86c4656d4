// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cacheon/policy/match.h"
#include "src/policy/random_rows_for_test.h"

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Gaps(const std::vector<std::string_view>& rows) {
  std::vector<Domain> domains;
  for (const std::string_view row : rows) {
    domains.push_back(Domain::Of(ParseEligibility(ReadJson(row).value()).value()));
  }
  std::vector<std::string> texts;
  for (const CoverageGap& gap : FindCoverageGaps(domains)) texts.push_back(gap.Text());
  return texts;
}

TEST(FindCoverageGaps, FindsTheHoleBetweenTwoRanges) {
  EXPECT_THAT(Gaps({R"({"max_num_tokens": 127})", R"({"min_num_tokens": 256})"}),
              ElementsAre("num_tokens 128 to 255"));
}

TEST(FindCoverageGaps, IsSilentWhenRowsMeet) {
  EXPECT_THAT(Gaps({R"({"max_num_tokens": 127})", R"({"min_num_tokens": 128})"}), IsEmpty());
  EXPECT_THAT(Gaps({"{}"}), IsEmpty());
  EXPECT_THAT(Gaps({}), IsEmpty());
}

TEST(FindCoverageGaps, DescribesAGapInSeveralFields) {
  EXPECT_THAT(Gaps({R"({"dtypes": ["bf16"], "max_num_tokens": 64})",
                    R"({"dtypes": ["bf16", "fp16"], "min_num_tokens": 65})"}),
              ElementsAre("dtype 'float16', num_tokens 0 to 64"));
}

TEST(FindCoverageGaps, NamesValuesThatNoRowNames) {
  EXPECT_THAT(Gaps({R"({"dtypes": ["bf16"]})", R"({"max_num_tokens": 64})"}),
              ElementsAre("dtype any value that no row names, num_tokens 65 and above"));
}

TEST(FindCoverageGaps, FindsGraphCallsThatOnlySomeRowsServe) {
  EXPECT_THAT(Gaps({R"({"max_num_tokens": 64, "graph_safe": true})", R"({"min_num_tokens": 65})"}),
              ElementsAre("graph_mode 'cuda_graph', num_tokens 65 and above"));
}

TEST(FindCoverageGaps, KeepsToItsLimit) {
  std::vector<Domain> rows;
  for (int i = 0; i < 40; ++i) {
    Domain row;
    row.Add({.field = "num_tokens", .required = true, .min = i * 4, .max = i * 4 + 1});
    row.Add({.field = "head_dim", .required = true, .min = i * 4, .max = i * 4 + 1});
    rows.push_back(row);
  }
  EXPECT_EQ(FindCoverageGaps(rows, 5).size(), 5U);
}

TEST(FindCoverageGaps, NoRowServesTheExampleOfAGap) {
  RandomRows random(4);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Eligibility> rows = {random.Row(), random.Row(), random.Row()};
    std::vector<Domain> domains;
    for (const Eligibility& row : rows) domains.push_back(Domain::Of(row));
    for (const CoverageGap& gap : FindCoverageGaps(domains)) {
      ++found;
      for (const Eligibility& row : rows) {
        ASSERT_FALSE(Match(row, gap.example).empty()) << gap.example.Text();
      }
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace cacheon::policy
