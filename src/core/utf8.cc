// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cacheon {

std::size_t Utf8SequenceLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;   // overlong
    if (first == 0xED) high = 0x9F;  // surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;   // overlong
    if (first == 0xF4) high = 0x8F;  // above U+10FFFF
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

namespace {

// The code point of a well-formed sequence.
std::uint32_t Decode(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first;
  std::uint32_t code_point = first & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1)) {
    code_point = code_point << 6U | (static_cast<std::uint8_t>(c) & 0x3FU);
  }
  return code_point;
}

bool IsUnsafeToPrint(std::uint32_t code_point) {
  const auto within = [&](std::uint32_t first, std::uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  return within(0x00, 0x1F) || within(0x7F, 0x9F) ||          // C0, DEL, C1
         within(0x200B, 0x200F) || within(0x2028, 0x202E) ||  // invisible, line ends, direction
         within(0x2066, 0x2069) || code_point == 0xFEFF;
}

// Calls visit(sequence, well_formed) for each code point or malformed byte.
template <typename Visit>
void ForEachSequence(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    visit(text.substr(0, std::max<std::size_t>(length, 1)), length != 0);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t CodePointCount(std::string_view text) {
  std::size_t count = 0;
  ForEachSequence(text, [&](std::string_view, bool) { ++count; });
  return count;
}

std::string ReplaceMalformed(std::string_view text) {
  std::string result;
  ForEachSequence(text, [&](std::string_view sequence, bool well_formed) {
    result += well_formed ? sequence : "\uFFFD";
  });
  return result;
}

std::string Printable(std::string_view text) {
  std::string result;
  ForEachSequence(text, [&](std::string_view sequence, bool well_formed) {
    if (!well_formed) {
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(sequence[0]));
    } else if (const std::uint32_t code_point = Decode(sequence); !IsUnsafeToPrint(code_point)) {
      result += sequence;
    } else if (code_point < 0x80) {
      result += fmt::format("\\x{:02x}", code_point);
    } else {
      result += fmt::format("\\u{:04x}", code_point);
    }
  });
  return result;
}

}  // namespace cacheon
