// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cacheon/slots/slot.h"
#include "src/slots/mersenne_twister.h"
#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

using ::testing::ElementsAre;

// Expected values come from CPython's random.Random, whose stream the published list is drawn from.

std::vector<std::int64_t> TokensAfterJitter(std::uint64_t seed) {
  std::vector<std::int64_t> tokens;
  for (const Case& the_case :
       JitterCounts(FindSlot("activation.silu_and_mul")->PublishedCases(), seed)) {
    tokens.push_back(the_case.parameters.at("num_tokens").as_int64());
  }
  return tokens;
}

TEST(MersenneTwister, MatchesPythonsStreams) {
  MersenneTwister zero(0);
  EXPECT_EQ(zero.Next(), 3626764237U);
  EXPECT_EQ(zero.Next(), 1654615998U);
  EXPECT_EQ(zero.Next(), 3255389356U);
  MersenneTwister two_words(~std::uint64_t{0});
  EXPECT_EQ(two_words.Next(), 93740670U);
  EXPECT_EQ(two_words.Next(), 1068495656U);
  EXPECT_EQ(two_words.Next(), 1452108352U);
}

TEST(Jitter, MatchesThePublishedListOfASeed) {
  EXPECT_THAT(TokensAfterJitter(0), ElementsAre(3, 9, 173, 5463, 446));
  EXPECT_THAT(TokensAfterJitter(1), ElementsAre(1, 9, 172, 5463, 333));
  EXPECT_THAT(TokensAfterJitter(7), ElementsAre(2, 10, 127, 4097, 336));
  EXPECT_THAT(TokensAfterJitter(123456789), ElementsAre(3, 11, 172, 5463, 336));
  EXPECT_THAT(TokensAfterJitter((std::uint64_t{1} << 40U) + 5), ElementsAre(4, 7, 128, 4096, 333));
  EXPECT_THAT(TokensAfterJitter(~std::uint64_t{0}), ElementsAre(1, 9, 130, 4097, 444));
}

TEST(Jitter, DrawsKeysInOrderAndSkipsTheProbe) {
  const std::vector<Case> cases =
      JitterCounts({PublishedCase({{"batch", 1}, {"ctx", 1536}}),
                    PublishedCase({{"q_len", 7}, {"prefix_blocks", 5}}),
                    PublishedCase({{"q_len", 17}, {"prefix_blocks", 7}, {"causal_probe", true}}),
                    PublishedCase({{"q_len", 8}, {"prefix_blocks", 20}})},
                   3);
  EXPECT_EQ(cases[0].parameters.at("batch"), Json(2));
  EXPECT_EQ(cases[0].parameters.at("ctx"), Json(2049));
  EXPECT_EQ(cases[1].parameters.at("q_len"), Json(10));
  EXPECT_EQ(cases[1].parameters.at("prefix_blocks"), Json(8));
  EXPECT_EQ(cases[2].parameters.at("q_len"), Json(17));
  EXPECT_EQ(cases[2].parameters.at("prefix_blocks"), Json(11));
  EXPECT_EQ(cases[3].parameters.at("q_len"), Json(11));
  EXPECT_EQ(cases[3].parameters.at("prefix_blocks"), Json(26));
}

TEST(Jitter, LeavesFeaturesAlone) {
  const std::vector<Case> cases = FindSlot("activation.silu_and_mul")->PublishedCases();
  const std::vector<Case> jittered = JitterCounts(cases, 99);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(jittered[i].parameters.at("d"), cases[i].parameters.at("d"));
  }
}

}  // namespace
}  // namespace cacheon::slots
