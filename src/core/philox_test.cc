// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace cacheon {
namespace {

using ::testing::ElementsAre;

TEST(Philox, MatchesPublishedAnswers) {
  EXPECT_THAT(Philox(0).At(0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(Philox(~0ULL, ~0ULL).At(~0ULL),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
}

TEST(Philox, BulkBitsAreTheBlocksInOrder) {
  const Philox generator(7, 9);
  std::vector<std::uint32_t> bits(1000);
  FillBits(generator, 40, bits);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ASSERT_EQ(bits[i], generator.At((40 + i) / 4)[i % 4]) << i;
  }
}

TEST(Philox, BulkFillsDependOnPositionOnly) {
  const Philox generator(123, 4);
  std::vector<float> whole(4099);
  FillNormal(generator, 0, whole);
  std::vector<float> part(777);
  FillNormal(generator, 1000, part);
  for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], whole[1000 + i]) << i;
}

TEST(Philox, NormalHasTheMomentsOfANormal) {
  std::vector<float> values(1 << 20);
  FillNormal(Philox(1), 0, values);
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  double largest = 0;
  for (const double x : values) {
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    largest = std::max(largest, std::fabs(x));
  }
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0.0, 0.005);
  EXPECT_NEAR(squares / n, 1.0, 0.01);
  EXPECT_NEAR(fourths / n, 3.0, 0.05);
  EXPECT_GT(largest, 4.0);
  EXPECT_LT(largest, 6.0);
}

// Box-Muller recomputed with libm in double precision.
TEST(Philox, NormalAgreesWithLibm) {
  const Philox generator(5, 6);
  std::vector<float> values(1 << 16);
  FillNormal(generator, 0, values);
  for (std::size_t block = 0; block < values.size() / 4; ++block) {
    const Philox::Block words = generator.At(block);
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const double u = (static_cast<double>(words[pair * 2] >> 8U) + 1.0) * 0x1p-24;
      const double angle = 2.0 * M_PI * static_cast<double>(words[pair * 2 + 1] >> 8U) * 0x1p-24;
      const double radius = std::sqrt(-2.0 * std::log(u));
      ASSERT_NEAR(values[block * 4 + pair * 2], radius * std::cos(angle), 3e-6);
      ASSERT_NEAR(values[block * 4 + pair * 2 + 1], radius * std::sin(angle), 3e-6);
    }
  }
}

TEST(Philox, UniformStaysBelowOne) {
  std::vector<float> values(1 << 20);
  FillUniform(Philox(2), 0, values);
  double sum = 0;
  for (const float x : values) {
    ASSERT_GE(x, 0.0F);
    ASSERT_LT(x, 1.0F);
    sum += x;
  }
  EXPECT_NEAR(sum / static_cast<double>(values.size()), 0.5, 0.002);
}

TEST(Philox, NextIntReachesBothEndsAndNothingElse) {
  Philox generator(3);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(generator.NextInt(-2, 3));
  EXPECT_THAT(seen, ElementsAre(-2, -1, 0, 1, 2, 3));
}

TEST(Philox, NextIntTakesTheWholeRange) {
  Philox generator(3);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t value = generator.NextInt(INT64_MIN, INT64_MAX);
    negative |= value < 0;
    positive |= value > 0;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(SystemEntropy, DiffersBetweenCalls) { EXPECT_NE(SystemEntropy(), SystemEntropy()); }

}  // namespace
}  // namespace cacheon
