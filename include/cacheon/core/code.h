// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable error codes and the one table of them. The table is docs/codes/*.md: each code has a page
// there, which is compiled in, so that `cacheon explain` and the documents cannot disagree.

#include <compare>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cacheon {

// A stable dotted lower-case code such as "manifest.path_escape". Written as a literal where it is
// raised; a test checks that every literal in the source has a page, and every page a test.
class Code {
 public:
  // Implicit on purpose: `Fail("tree.symlink", ...)` should read as the code itself.
  consteval Code(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor)
    if (!IsWellFormed(text_)) throw "a code is two or more dotted words of [a-z0-9_]";
  }

  // The code of the table with this name or alias; nullopt when there is none.
  static std::optional<Code> Find(std::string_view name);

  constexpr std::string_view text() const { return text_; }
  friend constexpr bool operator==(Code a, Code b) { return a.text_ == b.text_; }
  friend constexpr auto operator<=>(Code a, Code b) { return a.text_ <=> b.text_; }

  static constexpr bool IsWellFormed(std::string_view text) {
    bool dotted = false;
    char previous = '.';
    for (const char c : text) {
      const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      if (!word && (c != '.' || previous == '.')) return false;
      dotted |= c == '.';
      previous = c;
    }
    return dotted && previous != '.';
  }

 private:
  struct FromTable {};
  constexpr Code(FromTable, std::string_view text) : text_(text) {}

  std::string_view text_;
};

// Whose fault it is; decides the exit status. The three are never mixed: a candidate's failure is
// not ours, and a fault of the machine is nobody's kernel.
enum class Fault {
  kCandidate,    // the bundle or its kernel breaks a rule: refused, status 1
  kUsage,        // the command line is wrong: status 2
  kEnvironment,  // this machine lacks something, or lost it: status 3
  kInternal,     // our bug: status 4
};

enum class Severity { kError, kWarning, kNote };

// One entry of the table, from docs/codes/.
struct CodePage {
  std::string_view code;
  Fault fault;
  Severity severity;                          // the severity in strict mode unless a rule says more
  std::string_view summary;                   // one sentence
  std::string_view body;                      // Markdown: why, a bad and a good example, how to fix
  std::span<const std::string_view> aliases;  // other codes for the same rule
  // Codes that cover this rule and others: what a less exact reader would say.
  std::span<const std::string_view> coarser;
};

// All pages, sorted by code.
std::span<const CodePage> CodePages();

// The page of a code or alias; nullptr when unknown.
const CodePage* FindCodePage(std::string_view name);

// The pages that a coarser code covers, sorted by code; empty when the name is no coarser code.
std::vector<const CodePage*> PagesBelow(std::string_view coarser);

// The codes closest in spelling to `name`, best first; for "did you mean".
std::vector<std::string_view> NearestCodes(std::string_view name, int count);

}  // namespace cacheon
