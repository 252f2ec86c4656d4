// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The code points of Python identifiers, as sorted ranges that do not touch.

#include <span>

namespace cacheon::bundle {

struct CodePointRange {
  char32_t first;
  char32_t last;  // inclusive
};

std::span<const CodePointRange> IdentifierStartRanges();
std::span<const CodePointRange> IdentifierContinueRanges();

}  // namespace cacheon::bundle
