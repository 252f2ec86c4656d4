// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 as RFC 3629 has it: no surrogates, nothing above U+10FFFF, no overlong forms.

#include <cstddef>
#include <string_view>

namespace cacheon {

bool IsUtf8(std::string_view text);

// The length of the well-formed sequence at the front of `text`; 0 when there is none.
std::size_t Utf8SequenceLength(std::string_view text);

// The number of code points of UTF-8 text; malformed bytes count as one each.
std::size_t CodePointCount(std::string_view text);

}  // namespace cacheon
