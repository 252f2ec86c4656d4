// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/unicode.h"

#include <gtest/gtest.h>

namespace cacheon {
namespace {

TEST(TrimSpace, RemovesEverySpaceOfTheListAtBothEnds) {
  EXPECT_EQ(TrimSpace(" \t\n\v\f\r\x1c\x1d\x1e\x1f"
                      "a b"
                      "\x1f "),
            "a b");
  EXPECT_EQ(TrimSpace("\u00a0\u1680\u2000\u200ax\u2028\u2029\u202f\u205f\u3000\u0085"), "x");
  EXPECT_EQ(TrimSpace("\u3000"), "");
  EXPECT_EQ(TrimSpace(""), "");
}

TEST(TrimSpace, KeepsWhatOnlyLooksLikeSpace) {
  EXPECT_EQ(TrimSpace("\u200bx\ufeff"), "\u200bx\ufeff");
  EXPECT_EQ(TrimSpace("\xa0x\x85"), "\xa0x\x85");  // bytes that are no UTF-8
  EXPECT_EQ(TrimSpace("\u00e0"), "\u00e0");        // ends in the byte A0
}

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
