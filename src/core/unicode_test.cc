// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/unicode.h"

#include <gtest/gtest.h>

namespace cacheon {
namespace {

TEST(ToLower, MapsCodePointsOfEveryLength) {
  EXPECT_EQ(ToLower("AZ[`az"), "az[`az");
  EXPECT_EQ(ToLower("\u00c4\u0100\u0101\u0416"), "\u00e4\u0101\u0101\u0436");
  EXPECT_EQ(ToLower("\u212a"), "k");  // the Kelvin sign
  EXPECT_EQ(ToLower("\u0130"), "i\u0307");
  EXPECT_EQ(ToLower("\u1e9e\u00df"), "\u00df\u00df");
  EXPECT_EQ(ToLower("\U00010400"), "\U00010428");
}

TEST(ToLower, KeepsMalformedBytes) { EXPECT_EQ(ToLower("A\xff\xc3"), "a\xff\xc3"); }

}  // namespace
}  // namespace cacheon
