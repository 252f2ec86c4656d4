// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bundles written in the test itself, and their findings as short text: "py.frame 3:5".

#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/policy/scan.h"

namespace cacheon::policy {

using TestFiles = std::vector<std::pair<std::string, std::string>>;

// The contents live as long as the test program.
inline ScanBundle MakeTestBundle(const TestFiles& files) {
  static std::deque<std::string> contents;
  ScanBundle bundle;
  for (const auto& [path, content] : files) {
    bundle.entries.push_back({.path = path, .content = contents.emplace_back(content)});
    if (path.ends_with(".cu") || path.ends_with(".cuh")) bundle.cuda_sources.push_back(path);
  }
  return bundle;
}

inline ScanReport ScanTestBundle(const ScanBundle& bundle,
                                 bundle::Mode mode = bundle::Mode::kStrict) {
  static Scanner strict({.mode = bundle::Mode::kStrict});
  static Scanner compat({.mode = bundle::Mode::kCompat});
  auto report = (mode == bundle::Mode::kStrict ? strict : compat).Scan(bundle);
  if (report) return std::move(*report);
  ScanReport failed;
  failed.findings.push_back(report.error());
  return failed;
}

inline std::string Brief(const Error& finding) {
  return fmt::format("{} {}:{}", finding.code.text(), finding.where.line, finding.where.column);
}

inline std::vector<std::string> Briefs(const ScanReport& report) {
  std::vector<std::string> briefs;
  for (const Error& finding : report.findings) briefs.push_back(Brief(finding));
  return briefs;
}

inline bool HasCode(const ScanReport& report, std::string_view code) {
  for (const Error& finding : report.findings) {
    if (finding.code.text() == code) return true;
  }
  return false;
}

}  // namespace cacheon::policy
