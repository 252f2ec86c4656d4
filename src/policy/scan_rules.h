// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The name lists that the static rules consult. They are text files under src/policy/data/,
// compiled in; the digest over their bytes is part of every verdict, so that a change of policy is
// visible.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace cacheon::policy {

// The embedded files.
std::string_view PythonNamesText();
std::string_view CudaNamesText();
std::string_view ParseFactsProgram();

// A set of words in the forms `a.b`, `a.b.*` (that name and all below it) and `ab*` (all that begin
// so).
class NameList {
 public:
  void Add(std::string_view word);
  bool Has(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Words = std::unordered_set<std::string, Hash, std::equal_to<>>;

  Words exact_;
  Words stems_;
  std::vector<std::string> prefixes_;
};

// The sections of one file. Asking for a section that the file lacks is our bug.
class RuleBook {
 public:
  explicit RuleBook(std::string_view text);

  const NameList& Section(std::string_view name) const;
  bool Has(std::string_view section, std::string_view name) const {
    return Section(section).Has(name);
  }

 private:
  std::map<std::string, NameList, std::less<>> sections_;
};

const RuleBook& PythonRules();
const RuleBook& CudaRules();

}  // namespace cacheon::policy
