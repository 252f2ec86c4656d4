// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cacheon this is.

#include <string_view>

namespace cacheon {

std::string_view Version();  // "0.1.0"
std::string_view BuildId();  // the commit it was configured from, or "unknown"

}  // namespace cacheon
