// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lower case of Unicode 14, as the published implementation applies it to names and values before
// it compares them. Independent of the locale.

#include <string>
#include <string_view>

namespace cacheon {

// Each code point in lower case; malformed bytes stay. A final capital sigma becomes the ordinary
// small one: the rule that looks at neighbours is not applied.
std::string ToLower(std::string_view text);

}  // namespace cacheon
