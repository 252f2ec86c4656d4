// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collects the findings about one file. Rules say whether they belong to the floor, which holds in
// both modes, or are ours alone; the severity comes from the code's page.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cacheon/core/error.h"
#include "cacheon/policy/scan.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

// What a rule says, apart from its code and its place.
struct FindingText {
  std::string symbol;
  std::string message;
  std::string hint = {};
};

class Findings {
 public:
  // `source` may be null when the file has no text; it must outlive this.
  Findings(bundle::Mode mode, std::string path, const SourceText* source)
      : mode_(mode), path_(std::move(path)), source_(source) {}

  bool strict() const { return mode_ == bundle::Mode::kStrict; }
  // In both modes.
  void Floor(Code code, SourcePlace place, FindingText text);
  // In strict mode only. `severity` replaces the page's.
  void Strict(Code code, SourcePlace place, FindingText text);
  void Strict(Code code, SourcePlace place, FindingText text, Severity severity);

  // In the order in which they were found; one per code, place and symbol. At most
  // kMaxFindingsPerFile of each severity are kept, which suffices to refuse.
  std::vector<Error> Take() { return std::move(errors_); }

 private:
  void Add(Code code, SourcePlace place, FindingText text, Severity severity);

  bundle::Mode mode_;
  std::string path_;
  const SourceText* source_;
  std::set<std::tuple<Code, int, int, std::string>> seen_;
  std::size_t counts_[3] = {};
  std::vector<Error> errors_;
};

inline constexpr std::size_t kMaxFindingsPerFile = 200;

}  // namespace cacheon::policy
