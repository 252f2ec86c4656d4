// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/status_frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cacheon::worker {
namespace {

constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kKindAt = 6;
constexpr std::size_t kSequenceAt = 8;
constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kDetailAt = 16;
constexpr std::size_t kLineAt = 20;
constexpr std::size_t kReservedAt = 24;
constexpr std::size_t kTextAt = 32;

StatusFrame Done() { return {.kind = FrameKind::kDone, .sequence = 9, .detail = 1}; }

// A done frame with one byte changed.
FrameBytes Changed(std::size_t at, int value) {
  FrameBytes bytes = EncodeStatusFrame(Done());
  bytes[at] = static_cast<std::byte>(value);
  return bytes;
}

TEST(StatusFrameTest, ReadsWhatWasWritten) {
  const StatusFrame error{.kind = FrameKind::kError,
                          .sequence = 70000,
                          .detail = static_cast<std::uint32_t>(ErrorKind::kRaised),
                          .line = 12,
                          .text = "ValueError: é\n\tat"};
  for (const StatusFrame& frame :
       {error, Done(), StatusFrame{.kind = FrameKind::kReady, .text = "2.11"}}) {
    EXPECT_EQ(ParseStatusFrame(EncodeStatusFrame(frame)), frame);
  }
}

TEST(StatusFrameTest, BytesAreAsDocumented) {
  const FrameBytes bytes = EncodeStatusFrame(
      {.kind = FrameKind::kError, .sequence = 0x01020304, .detail = 2, .line = 3, .text = "ab"});
  constexpr std::array<int, 34> kExpected = {'C', 'C', 'W', 'F', 1, 0, 3, 0, 4,   3,  2, 1,
                                             2,   0,   0,   0,   2, 0, 0, 0, 3,   0,  0, 0,
                                             0,   0,   0,   0,   0, 0, 0, 0, 'a', 'b'};
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(bytes[i]), kExpected[i]) << i;
  }
  EXPECT_EQ(bytes.size(), 4128U);
}

TEST(StatusFrameTest, RefusesOtherSizes) {
  const FrameBytes bytes = EncodeStatusFrame(Done());
  EXPECT_FALSE(ParseStatusFrame(std::span(bytes).first(kFrameBytes - 1)));
  EXPECT_FALSE(ParseStatusFrame({}));
  std::array<std::byte, kFrameBytes + 1> longer{};
  std::copy(bytes.begin(), bytes.end(), longer.begin());
  EXPECT_FALSE(ParseStatusFrame(longer));
}

TEST(StatusFrameTest, RefusesEveryFieldThatIsNotAsItMayBe) {
  EXPECT_TRUE(ParseStatusFrame(Changed(kSequenceAt, 1)));
  EXPECT_FALSE(ParseStatusFrame(Changed(0, 'X')));
  EXPECT_FALSE(ParseStatusFrame(Changed(kVersionAt, 2)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kKindAt, 0)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kKindAt, 4)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kDetailAt, 2)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kLineAt, 1)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kReservedAt + 7, 1)));
  EXPECT_FALSE(ParseStatusFrame(Changed(kLengthAt + 1, 0x11)));  // 4,352 bytes of text
}

TEST(StatusFrameTest, RefusesTextBeyondItsLength) {
  EXPECT_FALSE(ParseStatusFrame(Changed(kTextAt, 'x')));
  EXPECT_FALSE(ParseStatusFrame(Changed(kFrameBytes - 1, 1)));
}

TEST(StatusFrameTest, RefusesReadyWithASequence) {
  StatusFrame ready{.kind = FrameKind::kReady};
  EXPECT_TRUE(ParseStatusFrame(EncodeStatusFrame(ready)));
  ready.sequence = 1;
  EXPECT_FALSE(ParseStatusFrame(EncodeStatusFrame(ready)));
}

TEST(StatusFrameTest, RefusesUnknownErrors) {
  StatusFrame error{.kind = FrameKind::kError, .detail = 7};
  EXPECT_FALSE(ParseStatusFrame(EncodeStatusFrame(error)));
  error.detail = 0;
  EXPECT_FALSE(ParseStatusFrame(EncodeStatusFrame(error)));
}

TEST(StatusFrameTest, TextIsMadePrintable) {
  const StatusFrame frame{.kind = FrameKind::kReady, .text = "\x1b[2J\x7f\nok"};
  EXPECT_EQ(ParseStatusFrame(EncodeStatusFrame(frame))->text, "?[2J?\nok");
  const StatusFrame broken{.kind = FrameKind::kReady,
                           .text =
                               "a\xff"
                               "b"};
  EXPECT_EQ(ParseStatusFrame(EncodeStatusFrame(broken))->text, "a?b");
}

TEST(StatusFrameTest, TextIsCutAtItsLimit) {
  const StatusFrame frame{.kind = FrameKind::kReady, .text = std::string(5000, 'x')};
  EXPECT_EQ(ParseStatusFrame(EncodeStatusFrame(frame))->text.size(), kFrameTextBytes);
}

}  // namespace
}  // namespace cacheon::worker
