// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "cacheon/core/utf8.h"

namespace cacheon::policy {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// The code point of a three-byte sequence of valid UTF-8; all suspicious ones have three bytes.
char32_t ThreeByteCodePoint(std::string_view bytes) {
  const auto bits = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i]) & 0x3FU);
  };
  return (static_cast<char32_t>(static_cast<unsigned char>(bytes[0]) & 0x0FU) << 12U) |
         (bits(1) << 6U) | bits(2);
}

bool IsInvisible(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||  // bidirectional
         (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF;      // of no width
}

void CheckInvisible(const SourceText& source, Findings& findings) {
  const std::string_view text = source.content();
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xF0U) != 0xE0U) continue;
    const char32_t c = ThreeByteCodePoint(text.substr(i, 3));
    if (i == 0 && c == 0xFEFF) continue;  // the byte order mark has its own sentence
    if (!IsInvisible(c)) continue;
    const std::string name = fmt::format("U+{:04X}", static_cast<std::uint32_t>(c));
    findings.Strict("tree.encoding", source.PlaceOf(i),
                    {name, "the invisible character " + name + " makes text read otherwise",
                     "write it as an escape inside a string, or remove it"});
  }
}

}  // namespace

bool CheckEncoding(const SourceText& source, Code unreadable, Findings& findings) {
  const std::string_view text = source.content();
  if (!IsUtf8(text)) {
    findings.Floor(unreadable, {}, {"", "the file is not UTF-8", "save it as UTF-8"});
    return false;
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    findings.Floor("tree.encoding", source.PlaceOf(nul),
                   {"NUL", "the file contains a NUL byte", "remove it"});
    return false;
  }
  if (text.starts_with(kBom)) {
    findings.Strict("tree.encoding", {1, 0},
                    {"BOM", "the file begins with a byte order mark", "save it without one"});
  }
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '\n') continue;
    findings.Strict("tree.encoding", source.PlaceOf(at),
                    {"CR", "a line ends with CR alone", "end lines with LF"});
    break;
  }
  CheckInvisible(source, findings);
  return true;
}

}  // namespace cacheon::policy
