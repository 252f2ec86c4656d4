// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The encoding rule that all text files share: UTF-8 without BOM, NUL, lone CR, bidirectional
// controls or characters of no width, so that a reviewer sees what a compiler reads.

#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

// False when the text cannot be read at all: not UTF-8, or with NUL bytes. Codes: tree.encoding,
// and `unreadable` for text that is not UTF-8.
bool CheckEncoding(const SourceText& source, Code unreadable, Findings& findings);

}  // namespace cacheon::policy
