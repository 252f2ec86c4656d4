// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// White space and lower case of Unicode 14, as the published implementation applies them to names
// and values before it compares them. Independent of the locale.

#include <string>
#include <string_view>

namespace cacheon {

// `text` without white space at both ends: \t to \r, 1C to 1F, space, 85, A0, 1680, 2000 to 200A,
// 2028, 2029, 202F, 205F, 3000. A view into `text`.
std::string_view TrimSpace(std::string_view text);

// Each code point in lower case; malformed bytes stay. A final capital sigma becomes the ordinary
// small one: the rule that looks at neighbours is not applied.
std::string ToLower(std::string_view text);

}  // namespace cacheon
