// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a worker may say. Every message is one frame of fixed size, so there is nothing to parse:
//
//   offset  size  field
//        0     4  magic      "CCWF"
//        4     2  version    1
//        6     2  kind       FrameKind
//        8     4  sequence   that of the command it answers; 0 for ready
//       12     4  length     bytes of text that count, at most 4,096
//       16     4  detail     done: 1 if the entry returned a value; error: ErrorKind; else 0
//       20     4  line       error: line of the candidate's file, 0 if unknown; else 0
//       24     8  reserved   0
//       32  4096  text       UTF-8 by intention, zero beyond `length`
//
// All numbers are little-endian. Text inside the frame was chosen over a second message because a
// message that announces another one leaves states in between. No frame can say that a result is
// right: the controller looks at memory for that.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cacheon::worker {

inline constexpr std::size_t kFrameTextBytes = 4096;
inline constexpr std::size_t kFrameBytes = 32 + kFrameTextBytes;
using FrameBytes = std::array<std::byte, kFrameBytes>;

enum class FrameKind : std::uint16_t {
  kReady = 1,  // once, before anything of the candidate is loaded; text: torch's version
  kDone = 2,
  kError = 3,
};

enum class ErrorKind : std::uint32_t {
  kRaised = 1,   // the candidate raised, in its file or in a call
  kSyntax = 2,   // its file does not compile
  kNoEntry = 3,  // a callable is not there
  kNoTorch = 4,  // before ready only
  kSetup = 5,    // the shim could not do its own part, such as mapping a grant
  kNoFile = 6,   // the candidate's file is not there
};

struct StatusFrame {
  FrameKind kind = FrameKind::kDone;
  std::uint32_t sequence = 0;
  std::uint32_t detail = 0;
  std::uint32_t line = 0;
  std::string text = {};  // printable UTF-8; what was not is replaced by '?'

  friend bool operator==(const StatusFrame&, const StatusFrame&) = default;
};

// nullopt unless every field has a value that it may have.
std::optional<StatusFrame> ParseStatusFrame(std::span<const std::byte> message);

// The bytes of a frame; text beyond kFrameTextBytes is cut off.
FrameBytes EncodeStatusFrame(const StatusFrame& frame);

}  // namespace cacheon::worker
