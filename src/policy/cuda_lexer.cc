// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/cuda_lexer.h"

#include <algorithm>
#include <memory>

namespace cacheon::policy {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Offsets of the original for offsets of the spliced text.
class SpliceMap {
 public:
  void Removed(std::size_t spliced, std::size_t original) {
    marks_.emplace_back(spliced, original);
  }
  std::size_t Original(std::size_t spliced) const {
    auto after = std::ranges::upper_bound(marks_, spliced, {}, &Mark::first);
    if (after == marks_.begin()) return spliced;
    --after;
    return after->second + (spliced - after->first);
  }

 private:
  using Mark = std::pair<std::size_t, std::size_t>;
  std::vector<Mark> marks_;
};

// The end of a backslash-newline at `at`, white space between them included as GCC has it; 0 for
// none.
std::size_t SpliceEnd(std::string_view source, std::size_t at) {
  if (source[at] != '\\') return 0;
  std::size_t end = at + 1;
  while (end < source.size() && (source[end] == ' ' || source[end] == '\t')) ++end;
  if (end >= source.size()) return 0;
  if (source[end] == '\n') return end + 1;
  if (source[end] != '\r') return 0;
  return source.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
}

std::string RemoveSplices(std::string_view source, SpliceMap& map) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t at = 0; at < source.size();) {
    if (const std::size_t end = SpliceEnd(source, at); end != 0) {
      at = end;
      map.Removed(text.size(), at);
    } else {
      text += source[at++];
    }
  }
  return text;
}

class Lexer {
 public:
  Lexer(CudaTokens& out, const SpliceMap& map) : out_(out), text_(out.text), map_(map) {}

  void Run() {
    while (at_ < text_.size() && !out_.truncated) Step();
  }

 private:
  std::string_view Rest() const { return std::string_view(text_).substr(at_); }

  void Step() {
    const char c = text_[at_];
    if (c == '\n' || c == '\r') {
      Emit(CudaTokenKind::kNewline, at_, at_ + 1, 1);
      line_start_ = true;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      ++at_;
    } else if (Rest().starts_with("//")) {
      Comment(std::min(text_.find_first_of("\n\r", at_), text_.size()));
    } else if (Rest().starts_with("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      Comment(end == std::string::npos ? text_.size() : end + 2);
    } else {
      Token(c);
      line_start_ = false;
    }
  }

  void Comment(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (Rest().starts_with("?\?/")) out_.trigraphs.push_back(map_.Original(at_));
      if (text_[at_] != '\n' && text_[at_] != '\r') text_[at_] = ' ';
    }
  }

  void Token(char c) {
    if (c == '"') return Quoted('"', CudaTokenKind::kString, at_ + 1);
    if (c == '\'') return Quoted('\'', CudaTokenKind::kChar, at_ + 1);
    if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])))
      return Number();
    if (IsWordByte(c)) return Word();
    Trigraph();
    for (const std::string_view pair : {"::", "->", "##", "%:"}) {
      if (Rest().starts_with(pair)) return Emit(CudaTokenKind::kPunct, at_, at_ + 2, 2);
    }
    Emit(CudaTokenKind::kPunct, at_, at_ + 1, 1);
  }

  void Trigraph() {
    if (!Rest().starts_with("?\?") || at_ + 2 >= text_.size()) return;
    if (std::string_view("=/'()!<>-").find(text_[at_ + 2]) != std::string_view::npos)
      out_.trigraphs.push_back(map_.Original(at_));
  }

  void Number() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign = (c == '+' || c == '-') && end > begin &&
                        std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos;
      const bool separator = c == '\'' && end + 1 < text_.size() && IsWordByte(text_[end + 1]);
      if (!IsWordByte(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    Emit(CudaTokenKind::kNumber, begin, end, end - begin);
  }

  void Word() {
    std::size_t end = at_;
    while (end < text_.size() && IsWordByte(text_[end])) ++end;
    const std::string_view word = std::string_view(text_).substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '"') {
      if (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")
        return Raw(end + 1);
      if (word == "L" || word == "u" || word == "U" || word == "u8")
        return Quoted('"', CudaTokenKind::kString, end + 1);
    }
    Emit(CudaTokenKind::kIdentifier, at_, end, end - at_);
  }

  // A literal that is not closed ends with its line.
  void Quoted(char quote, CudaTokenKind kind, std::size_t begin) {
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    const bool closed = end < text_.size() && text_[end] == quote;
    Emit(kind, begin, end, end - at_ + (closed ? 1 : 0));
  }

  void Raw(std::size_t begin) {
    const std::size_t open = text_.find('(', begin);
    constexpr std::size_t kMaxDelimiter = 16;
    if (open == std::string::npos || open - begin > kMaxDelimiter)
      return Quoted('"', CudaTokenKind::kString, begin);
    const std::string close = ")" + text_.substr(begin, open - begin) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    Emit(CudaTokenKind::kString, open + 1, std::max(end, open + 1),
         std::min(end + close.size(), text_.size()) - at_);
  }

  // The token's text is [begin, end); reading goes on after `length` bytes.
  void Emit(CudaTokenKind kind, std::size_t begin, std::size_t end, std::size_t length) {
    out_.tokens.push_back({.kind = kind,
                           .starts_line = line_start_,
                           .offset = map_.Original(at_),
                           .spliced = at_,
                           .text = std::string_view(text_).substr(begin, end - begin)});
    at_ += length;
    out_.truncated = out_.tokens.size() >= kMaxCudaTokens;
  }

  CudaTokens& out_;
  std::string& text_;
  const SpliceMap& map_;
  std::size_t at_ = 0;
  bool line_start_ = true;
};

}  // namespace

CudaTokens LexCuda(std::string_view source) {
  CudaTokens out;
  SpliceMap map;
  out.text = RemoveSplices(source, map);
  // Short strings live inside the object and would move with it; tokens point into the text.
  constexpr std::size_t kOutsideTheObject = 64;
  out.text.reserve(kOutsideTheObject);
  Lexer(out, map).Run();
  return out;
}

}  // namespace cacheon::policy
