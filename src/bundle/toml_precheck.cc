// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/toml_precheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cacheon/core/utf8.h"
#include "src/bundle/toml_number.h"

namespace cacheon::bundle {
namespace {

Place PlaceAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.line = 1 + static_cast<int>(std::ranges::count(before, '\n')),
          .column = 1 + static_cast<int>(CodePointCount(before.substr(line_start)))};
}

Status CheckCharacters(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    return Fail("manifest.toml_syntax", "the manifest starts with a byte order mark",
                {.line = 1, .column = 1}, "save the file as UTF-8 without one");
  }
  if (!IsUtf8(text)) {
    std::size_t good = 0;  // the first line that is not UTF-8 tells where
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         end = text.find('\n', end + 1)) {
      if (!IsUtf8(text.substr(good, end - good))) break;
      good = end + 1;
    }
    return Fail("manifest.toml_syntax", "the line is not UTF-8", PlaceAt(text, good),
                "save the file as UTF-8");
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool line_end = c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if (line_end || c == '\t' || (c >= 0x20 && c != 0x7F)) continue;
    return Fail("manifest.toml_syntax", fmt::format("a control character (0x{:02x})", c),
                PlaceAt(text, i), "write it as an escape inside a string, or remove it");
  }
  return {};
}

// Walks over the tokens of a document once. It knows strings, comments, brackets and whether a key
// or a value comes next, which is all that nesting and number literals need.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), checked_{.text = std::string(text)} {}

  Result<CheckedToml> Run() {
    while (at_ < text_.size()) RETURN_IF_ERROR(Step());
    return std::move(checked_);
  }

 private:
  // An open array, inline table or (at the bottom) the document.
  struct Level {
    char closes = '\0';     // ']' or '}'
    bool wants_key = true;  // before '=' of a table
    int key_parts = 1;      // of the key that was read last
  };

  Status Step() {
    const char c = text_[at_];
    if (c == '\n') {
      EndLine();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      Advance(1);
    } else if (c == '#') {
      Advance(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else if (c == '"' || c == '\'') {
      SkipString(c);
    } else if (top().wants_key) {
      return StepInKey(c);
    } else {
      return StepInValue(c);
    }
    line_is_fresh_ &= c == ' ' || c == '\t' || c == '\n';
    return {};
  }

  void EndLine() {
    ++at_;
    ++line_;
    line_start_ = at_;
    if (levels_.size() > 1) return;  // arrays and strings go on
    top() = Level{};
    in_header_ = false;
    line_is_fresh_ = true;
  }

  Status StepInKey(char c) {
    const bool fresh = std::exchange(line_is_fresh_, false);
    Advance(1);
    if (levels_.size() == 1 && c == '[' && (fresh || in_header_)) {
      in_header_ = true;
      header_parts_ = 1;
    } else if (c == '.') {
      if (in_header_) {
        ++header_parts_;
      } else {
        ++top().key_parts;
      }
      return CheckDepth();
    } else if (c == '=') {
      top().wants_key = false;
    } else if (c == '}') {
      Close();
    }
    return {};
  }

  Status StepInValue(char c) {
    if (c == '[' || c == '{') {
      Advance(1);
      levels_.push_back({.closes = c == '[' ? ']' : '}', .wants_key = c == '{'});
      return CheckDepth();
    }
    if (c == ']' || c == '}') {
      Advance(1);
      Close();
      return {};
    }
    if (c == ',') {
      Advance(1);
      if (top().closes == '}') top() = {.closes = '}'};
      return {};
    }
    return TakeLiteral();
  }

  // Mismatched brackets are the parser's to report.
  void Close() {
    if (levels_.size() > 1) levels_.pop_back();
  }

  Status CheckDepth() {
    int depth = header_parts_;
    // Only the innermost levels can have changed, but the sum is over at most kMaxTomlDepth.
    for (const Level& level : levels_) depth += level.closes == ']' ? 1 : level.key_parts;
    if (depth <= kMaxTomlDepth) return {};
    return Fail("manifest.too_deep", fmt::format("nested deeper than {} levels", kMaxTomlDepth),
                {.line = line_, .column = Column(at_ - 1)}, "manifests need fewer than 20");
  }

  Status TakeLiteral() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n#,]}[{=\"'", at_), text_.size());
    const std::size_t length = std::max<std::size_t>(end - at_, 1);
    const std::string_view literal = text_.substr(at_, length);
    if (literal.size() > kMaxIntegerDigits) {
      return Fail("manifest.toml_syntax", fmt::format("a literal of {} characters", literal.size()),
                  {.line = line_, .column = Column(at_)},
                  fmt::format("numbers have at most {} digits", kMaxIntegerDigits));
    }
    if (const auto number = ParseTomlNumber(literal); number && NeedsStandIn(literal, *number)) {
      checked_.stand_ins.push_back({line_, Column(at_), *number});
      std::string stand_in(length, '0');
      stand_in.front() = stand_in.back() = '"';
      checked_.text.replace(at_, length, stand_in);
    }
    Advance(length);
    return {};
  }

  // The parser takes what fits a 64-bit integer or a finite normal double in a short literal.
  static bool NeedsStandIn(std::string_view literal, const Json& number) {
    constexpr std::size_t kSafeLength = 32;
    if (literal.size() > kSafeLength) return true;
    if (number.is_integer()) return !number.is_int64();
    return !std::isnormal(number.as_float()) && literal.size() > 3;
  }

  void SkipString(char quote) {
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    const bool multiline = text_.substr(at_).starts_with(triple);
    at_ += multiline ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        at_ += 1;
        if (at_ < text_.size() && text_[at_] != '\n') ++at_;
        continue;
      }
      if (c == '\n') {
        if (!multiline) return;  // not closed; the parser reports it
        ++line_;
        line_start_ = at_ + 1;
      }
      if (!multiline && c == quote) {
        ++at_;
        return;
      }
      if (multiline && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        // Up to two quotes may stand before the closing three.
        for (int extra = 0; extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
      ++at_;
    }
  }

  void Advance(std::size_t count) { at_ += count; }
  Level& top() { return levels_.back(); }
  // Counts on from the last place asked for, so that a long line costs its length once.
  int Column(std::size_t offset) {
    if (counted_to_ < line_start_ || counted_to_ > offset) {
      counted_to_ = line_start_;
      column_ = 1;
    }
    const std::string_view between = text_.substr(counted_to_, offset - counted_to_);
    column_ += static_cast<int>(CodePointCount(between));
    counted_to_ = offset;
    return column_;
  }

  std::string_view text_;
  CheckedToml checked_;
  std::vector<Level> levels_ = {Level{}};
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::size_t counted_to_ = 0;  // `column_` is the column of this offset
  int column_ = 1;
  int line_ = 1;
  int header_parts_ = 0;       // of the table that keys belong to
  bool in_header_ = false;     // inside `[...]` of a table
  bool line_is_fresh_ = true;  // nothing but white space on this line yet
};

}  // namespace

Result<CheckedToml> PrecheckToml(std::string_view text) {
  if (text.size() > kMaxTomlBytes) {
    return Fail("manifest.too_large",
                fmt::format("{} bytes, at most {} are read", text.size(), kMaxTomlBytes), {},
                "a manifest names files; data belongs in files of its own");
  }
  RETURN_IF_ERROR(CheckCharacters(text));
  return Scanner(text).Run();
}

}  // namespace cacheon::bundle
