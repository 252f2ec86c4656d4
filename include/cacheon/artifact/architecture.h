// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two spellings of a GPU architecture: logical (`sm90`) and of the compiler (`sm_90a`).

#include <string_view>

namespace cacheon::artifact {

bool IsLogicalArchitecture(std::string_view text);   // sm[0-9]{2,3}[a-z]?
bool IsCompilerArchitecture(std::string_view text);  // sm_[0-9]{2,3}[a-z]?

// Whether both name one family: equal after the prefix and trailing `a` characters are removed.
// Equivalent: sm90 and sm_90a. Not equivalent: sm100 and sm_100f.
bool IsSameFamily(std::string_view logical, std::string_view compiler);

}  // namespace cacheon::artifact
