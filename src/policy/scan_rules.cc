// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_rules.h"

#include <algorithm>
#include <sstream>

#include "cacheon/core/result.h"
#include "cacheon/core/sha256.h"
#include "cacheon/policy/scan.h"

namespace cacheon::policy {

void NameList::Add(std::string_view word) {
  if (word.ends_with(".*")) {
    stems_.emplace(word.substr(0, word.size() - 2));
  } else if (word.ends_with('*')) {
    prefixes_.emplace_back(word.substr(0, word.size() - 1));
  } else {
    exact_.emplace(word);
  }
}

bool NameList::Has(std::string_view name) const {
  if (exact_.contains(name) || stems_.contains(name)) return true;
  if (!stems_.empty()) {
    for (auto dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      if (stems_.contains(name.substr(0, dot))) return true;
    }
  }
  return std::ranges::any_of(prefixes_,
                             [&](const std::string& prefix) { return name.starts_with(prefix); });
}

RuleBook::RuleBook(std::string_view text) {
  NameList* section = nullptr;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      section = &sections_[line.substr(1, line.size() - 2)];
      continue;
    }
    if (line.starts_with("# ") || line.empty()) continue;
    CACHEON_CHECK(section != nullptr, "a policy file has words before its first section");
    std::istringstream words(line);
    for (std::string word; words >> word;) section->Add(word);
  }
}

const NameList& RuleBook::Section(std::string_view name) const {
  const auto found = sections_.find(name);
  CACHEON_CHECK(found != sections_.end(), "a rule names a section that its policy file lacks");
  return found->second;
}

const RuleBook& PythonRules() {
  static const RuleBook kBook(PythonNamesText());
  return kBook;
}

const RuleBook& CudaRules() {
  static const RuleBook kBook(CudaNamesText());
  return kBook;
}

std::string ScanPolicyDigest() {
  Sha256 hash;
  for (const std::string_view text : {PythonNamesText(), CudaNamesText(), ParseFactsProgram()}) {
    hash.UpdateBigEndian64(text.size());
    hash.Update(text);
  }
  return ToHex(hash.Finish());
}

}  // namespace cacheon::policy
