// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace cacheon {
namespace {

// Encodes as RFC 3629 says, without its limits.
std::string Encode(unsigned code_point) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | (code_point >> shift & 0x3FU));
  };
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  if (code_point < 0x800) return {static_cast<char>(0xC0U | code_point >> 6U), tail(0)};
  if (code_point < 0x10000) {
    return {static_cast<char>(0xE0U | code_point >> 12U), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0U | code_point >> 18U), tail(12), tail(6), tail(0)};
}

TEST(IsUtf8, TakesEveryCodePointButSurrogates) {
  for (unsigned code_point = 0; code_point < 0x110000; ++code_point) {
    const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
    ASSERT_EQ(IsUtf8(Encode(code_point)), !surrogate) << code_point;
  }
  EXPECT_FALSE(IsUtf8(Encode(0x110000)));
}

TEST(IsUtf8, RefusesOverlongForms) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF"}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

TEST(IsUtf8, RefusesCutAndStraySequences) {
  for (const char* text :
       {"\x80", "\xFE", "\xFF", "a\xC3", "\xE2\x82", "\xE2\x82z", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
  EXPECT_TRUE(IsUtf8(""));
}

TEST(CodePointCount, CountsCodePointsAndMalformedBytes) {
  EXPECT_EQ(CodePointCount(""), 0U);
  EXPECT_EQ(CodePointCount("a\u00e9\u20ac\U0001F600"), 4U);
  EXPECT_EQ(CodePointCount("\xE2\x82z"), 3U);
}

TEST(ReplaceMalformed, LeavesUtf8AndReplacesEachOtherByte) {
  EXPECT_EQ(ReplaceMalformed("a\n\u20ac"), "a\n\u20ac");
  EXPECT_EQ(ReplaceMalformed("a\xFF\xE2\x82z"), "a\uFFFD\uFFFD\uFFFDz");
}

TEST(Printable, KeepsTextThatIsSafeToPrint) {
  EXPECT_EQ(Printable("a b/\u00e9\U0001F600"), "a b/\u00e9\U0001F600");
}

TEST(Printable, ShowsControlsAndMalformedBytes) {
  EXPECT_EQ(Printable("\x1b[0m\n\t\x7f"), "\\x1b[0m\\x0a\\x09\\x7f");
  EXPECT_EQ(Printable("\xFF"), "\\xff");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, ShowsC1ControlsAndTextThatChangesDirection) {
  EXPECT_EQ(Printable("\u009b"), "\\u009b");
  EXPECT_EQ(Printable("a\u202eb\u2066c"), "a\\u202eb\\u2066c");
  EXPECT_EQ(Printable("\u2028"), "\\u2028");
}

}  // namespace
}  // namespace cacheon
