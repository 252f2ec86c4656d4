// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 as RFC 3629 has it: no surrogates, nothing above U+10FFFF, no overlong forms.

#include <cstddef>
#include <string>
#include <string_view>

namespace cacheon {

bool IsUtf8(std::string_view text);

// The length of the well-formed sequence at the front of `text`; 0 when there is none.
std::size_t Utf8SequenceLength(std::string_view text);

// The number of code points of UTF-8 text; malformed bytes count as one each.
std::size_t CodePointCount(std::string_view text);

// UTF-8: each malformed byte becomes U+FFFD. For documents, whose readers refuse anything else.
std::string ReplaceMalformed(std::string_view text);

// One line that a terminal shows as it is: control characters (line ends too), malformed bytes, and
// the code points that end lines or change the direction of text become `\x1b` or `\u202e`. For
// words that a candidate may have chosen, so that none can forge a line of ours or move the cursor.
std::string Printable(std::string_view text);

}  // namespace cacheon
