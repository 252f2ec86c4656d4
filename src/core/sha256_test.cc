// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/sha256.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace cacheon {
namespace {

// FIPS 180-4 and the examples that NIST publishes with it.
TEST(Sha256, MatchesPublishedAnswers) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheInputIsCut) {
  const std::string text(1000, 'x');
  for (const std::size_t cut : {0U, 1U, 63U, 64U, 65U, 999U, 1000U}) {
    Sha256 hash;
    hash.Update(std::string_view(text).substr(0, cut));
    hash.Update(std::string_view(text).substr(cut));
    EXPECT_EQ(hash.Finish(), Sha256Of(text)) << cut;
  }
}

TEST(Sha256, WritesIntegersBigEndian) {
  Sha256 hash;
  hash.UpdateBigEndian32(0x01020304);
  hash.UpdateBigEndian64(0x05060708090A0B0C);
  EXPECT_EQ(hash.Finish(), Sha256Of("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C"));
}

TEST(Sha256, MovesItsState) {
  Sha256 first;
  first.Update("ab");
  Sha256 second = std::move(first);
  second.Update("c");
  EXPECT_EQ(second.Finish(), Sha256Of("abc"));
}

TEST(ToHex, IsLowerCaseWithLeadingZeros) {
  EXPECT_EQ(ToHex(std::as_bytes(std::span("\x00\x0f\xff", 3))), "000fff");
}

TEST(ParseSha256Hex, ReadsBackWhatIsWritten) {
  const Sha256Digest digest = Sha256Of("abc");
  EXPECT_EQ(ParseSha256Hex(ToHex(digest)), digest);
}

TEST(ParseSha256Hex, TakesOneSpellingOnly) {
  const std::string good(64, 'a');
  EXPECT_TRUE(ParseSha256Hex(good).has_value());
  EXPECT_EQ(ParseSha256Hex(std::string(64, 'A')), std::nullopt);
  EXPECT_EQ(ParseSha256Hex(std::string(63, 'a')), std::nullopt);
  EXPECT_EQ(ParseSha256Hex(std::string(65, 'a')), std::nullopt);
  EXPECT_EQ(ParseSha256Hex("0x" + std::string(62, 'a')), std::nullopt);
  EXPECT_EQ(ParseSha256Hex(std::string(63, 'a') + "g"), std::nullopt);
  EXPECT_EQ(ParseSha256Hex(""), std::nullopt);
}

}  // namespace
}  // namespace cacheon
