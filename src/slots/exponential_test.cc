// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cacheon::slots {
namespace {

TEST(Exponential, AgreesWithTheLibrary) {
  for (double x = -708; x <= 708; x += 0.0625 + std::fabs(x) * 1e-4) {
    const double expected = std::exp(x);
    EXPECT_NEAR(Exp(x) / expected, 1.0, 2e-14) << x;
  }
  EXPECT_EQ(Exp(0.0), 1.0);
}

TEST(Exponential, ClampsBeyondItsRange) {
  EXPECT_EQ(Exp(1e6), Exp(708.0));
  EXPECT_EQ(Exp(-1e6), Exp(-708.0));
}

TEST(Silu, HasItsLimits) {
  EXPECT_EQ(static_cast<float>(Silu(-1000.0)), 0.0F);
  EXPECT_EQ(Silu(1000.0), 1000.0);
  EXPECT_EQ(Silu(0.0), 0.0);
  EXPECT_TRUE(std::isnan(Silu(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace cacheon::slots
