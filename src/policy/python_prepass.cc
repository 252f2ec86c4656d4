// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_prepass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "src/policy/scan_text.h"

namespace cacheon::policy {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Counts tokens, open brackets and the operators of the running expression at each bracket depth.
class LimitCounter {
 public:
  explicit LimitCounter(std::string_view text) : text_(text) {}

  // The limit that is passed first, or empty; `at()` is then where.
  std::string_view Run() {
    while (at_ < text_.size() && exceeded_.empty()) Step();
    return exceeded_;
  }
  std::size_t at() const { return at_; }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '\n' || c == '\r') {
      if (operators_.size() == 1) operators_[0] = 0;
      ++at_;
    } else if (c == '\\') {
      at_ += text_.substr(at_ + 1).starts_with("\r\n") ? 3 : 2;
    } else if (c == '#') {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else {
      Token(c);
    }
  }

  void Token(char c) {
    if (++tokens_ > kMaxPythonTokens) exceeded_ = "tokens";
    if (c == '"' || c == '\'') return String(c);
    if (IsWordByte(c)) return Word();
    if (c == '(' || c == '[' || c == '{') {
      CountOperator();  // a call or subscript also deepens the tree
      operators_.push_back(0);
      if (operators_.size() > kMaxPythonNesting + 1) exceeded_ = "nested brackets";
    } else if (c == ')' || c == ']' || c == '}') {
      if (operators_.size() > 1) operators_.pop_back();
    } else if (c == ',' || c == ';') {
      operators_.back() = 0;
    } else {
      CountOperator();
    }
    ++at_;
  }

  void CountOperator() {
    if (++operators_.back() > kMaxPythonChain) exceeded_ = "operators in one expression";
  }

  void Word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && word.size() <= 2)
      return String(text_[at_]);
    static constexpr std::array<std::string_view, 9> kOperators = {
        "not", "and", "or", "if", "else", "lambda", "await", "is", "in"};
    if (std::ranges::find(kOperators, word) != kOperators.end()) CountOperator();
  }

  // Past the string literal whose opening quote is here. A backslash hides the next byte in raw
  // strings too.
  void String(char quote) {
    const std::string triple(3, quote);
    const bool is_triple = text_.substr(at_).starts_with(triple);
    at_ += is_triple ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\') {
        at_ += 2;
        continue;
      }
      if (is_triple ? text_.substr(at_).starts_with(triple) : text_[at_] == quote) {
        at_ += is_triple ? 3 : 1;
        return;
      }
      if (!is_triple && text_[at_] == '\n') return;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int tokens_ = 0;
  std::vector<int> operators_ = {0};
  std::string_view exceeded_;
};

// The encoding that a PEP 263 cookie of this line names; empty when it has none.
std::string_view CookieOf(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\f");
  if (first == std::string_view::npos || line[first] != '#') return {};
  for (auto at = line.find("coding"); at != std::string_view::npos;
       at = line.find("coding", at + 1)) {
    auto from = at + std::string_view("coding").size();
    if (from >= line.size() || (line[from] != ':' && line[from] != '=')) continue;
    from = std::min(line.find_first_not_of(" \t", from + 1), line.size());
    auto to = from;
    while (to < line.size() && (IsWordByte(line[to]) || line[to] == '-' || line[to] == '.')) ++to;
    if (to > from) return line.substr(from, to - from);
  }
  return {};
}

bool IsUtf8Name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain == "utf8";
}

void CheckCookie(const SourceText& source, Findings& findings) {
  for (int line = 1; line <= 2; ++line) {
    const std::string_view text = source.Line(line);
    const std::string_view cookie = CookieOf(text);
    if (!cookie.empty()) {
      if (IsUtf8Name(cookie)) return;
      findings.Strict("py.cookie", {line, static_cast<int>(cookie.data() - text.data())},
                      {std::string(cookie),
                       fmt::format("the coding cookie names {}, so an importer would read another "
                                   "program than the scan",
                                   cookie),
                       "remove the cookie and save the file as UTF-8"});
      return;
    }
    const auto first = text.find_first_not_of(" \t\f");
    if (first != std::string_view::npos && text[first] != '#') return;  // line 2 does not count
  }
}

}  // namespace

bool CheckBeforeParsing(const SourceText& source, Findings& findings) {
  if (source.content().size() > kMaxPythonBytes) {
    findings.Floor(
        "py.parse_limit", {},
        {"bytes", fmt::format("the file is longer than {} bytes", kMaxPythonBytes), "split it"});
    return false;
  }
  if (!CheckEncoding(source, "tree.py_unreadable", findings)) return false;
  CheckCookie(source, findings);
  LimitCounter counter(source.content());
  if (const std::string_view limit = counter.Run(); !limit.empty()) {
    const std::size_t at = std::min(counter.at(), source.content().size());
    findings.Floor("py.parse_limit", source.PlaceOf(at),
                   {std::string(limit), fmt::format("too many {}", limit),
                    "write it with intermediate names or in several files"});
    return false;
  }
  return true;
}

}  // namespace cacheon::policy
