// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is checked about a Python file before any parser sees it: encoding, coding cookie, and the
// limits on size, tokens, nesting and operator chains. It tokenizes just well enough to count;
// where it and CPython differ, the parser child's own limits still hold.

#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

inline constexpr std::size_t kMaxPythonBytes = 1U << 20U;
inline constexpr int kMaxPythonTokens = 200'000;
inline constexpr int kMaxPythonNesting = 90;
inline constexpr int kMaxPythonChain = 2'000;

// True when the file may be given to the parser. Codes: tree.py_unreadable, tree.encoding,
// py.cookie, py.parse_limit.
bool CheckBeforeParsing(const SourceText& source, Findings& findings);

}  // namespace cacheon::policy
