// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cacheon/core/utf8.h"
#include "src/bundle/identifier_ranges.h"

namespace cacheon::bundle {
namespace {

bool IsAsciiSpace(unsigned char c) { return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20); }

// White space beyond ASCII: U+0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
bool IsWideSpace(std::string_view c) {
  if (c == "\u0085" || c == "\u00A0" || c == "\u1680" || c == "\u2028" || c == "\u2029" ||
      c == "\u202F" || c == "\u205F" || c == "\u3000") {
    return true;
  }
  return c >= "\u2000" && c <= "\u200A";
}

// The number of bytes of white space at the front (or back) of `text`; 0 when there is none.
std::size_t SpaceAtFront(std::string_view text) {
  if (text.empty()) return 0;
  if (IsAsciiSpace(static_cast<unsigned char>(text.front()))) return 1;
  for (const std::size_t length : {2U, 3U}) {
    if (text.size() >= length && IsWideSpace(text.substr(0, length))) return length;
  }
  return 0;
}

std::size_t SpaceAtBack(std::string_view text) {
  if (text.empty()) return 0;
  if (IsAsciiSpace(static_cast<unsigned char>(text.back()))) return 1;
  for (const std::size_t length : {2U, 3U}) {
    if (text.size() >= length && IsWideSpace(text.substr(text.size() - length))) return length;
  }
  return 0;
}

// Takes one code point of valid UTF-8 from the front.
char32_t TakeCodePoint(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length);
  return value;
}

bool InRanges(char32_t c, std::span<const CodePointRange> ranges) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &CodePointRange::first);
  return after != ranges.begin() && c <= std::prev(after)->last;
}

// Edits (insert, delete, replace, swap two neighbours) from `a` to `b`; more than `limit` is not
// told apart.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view Trim(std::string_view text) {
  while (const std::size_t length = SpaceAtFront(text)) text.remove_prefix(length);
  while (const std::size_t length = SpaceAtBack(text)) text.remove_suffix(length);
  return text;
}

bool IsId(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

bool IsPythonIdentifier(std::string_view text) {
  if (text.empty() || !IsUtf8(text)) return false;
  if (!InRanges(TakeCodePoint(text), IdentifierStartRanges())) return false;
  while (!text.empty()) {
    if (!InRanges(TakeCodePoint(text), IdentifierContinueRanges())) return false;
  }
  return true;
}

bool IsPythonKeyword(std::string_view text) {
  static constexpr auto kKeywords = std::to_array<std::string_view>(
      {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
       "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
       "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
       "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});
  return std::ranges::find(kKeywords, text) != kKeywords.end();
}

std::string_view NearestKey(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;  // longer names are no misspelling of ours
  if (name.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate, best_distance);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 80;
  const bool cut = text.size() > kShown;
  std::string_view shown = text.substr(0, kShown);
  // Not in the middle of a code point.
  while (cut && !shown.empty() && !IsUtf8(shown) && shown.size() > kShown - 4) {
    shown.remove_suffix(1);
  }
  std::string quoted = "`";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + (cut ? "...`" : "`");
}

}  // namespace cacheon::bundle
