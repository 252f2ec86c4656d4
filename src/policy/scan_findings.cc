// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_findings.h"

#include <utility>

namespace cacheon::policy {
namespace {

Severity PageSeverity(Code code) {
  const CodePage* page = FindCodePage(code.text());
  return page == nullptr ? Severity::kError : page->severity;
}

}  // namespace

void Findings::Floor(Code code, SourcePlace place, FindingText text) {
  Add(code, place, std::move(text), PageSeverity(code));
}

void Findings::Strict(Code code, SourcePlace place, FindingText text) {
  if (strict()) Add(code, place, std::move(text), PageSeverity(code));
}

void Findings::Strict(Code code, SourcePlace place, FindingText text, Severity severity) {
  if (strict()) Add(code, place, std::move(text), severity);
}

void Findings::Add(Code code, SourcePlace place, FindingText text, Severity severity) {
  const int column = source_ == nullptr ? 0 : source_->ColumnOf(place);
  if (counts_[static_cast<int>(severity)] >= kMaxFindingsPerFile) return;
  if (!seen_.emplace(code, place.line, column, text.symbol).second) return;
  ++counts_[static_cast<int>(severity)];
  errors_.push_back(Error{.code = code,
                          .message = std::move(text.message),
                          .where = {.file = path_, .line = place.line, .column = column},
                          .hint = std::move(text.hint),
                          .symbol = std::move(text.symbol),
                          .severity = severity});
}

}  // namespace cacheon::policy
