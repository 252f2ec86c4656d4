// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Number literals of TOML 1.0 with their exact values.

#include <optional>
#include <string_view>

#include "cacheon/core/json.h"

namespace cacheon::bundle {

// The value of an integer or float literal (underscores and bases included): an integer of any
// size, or a double that may be infinite by overflow. nullopt when `literal` is no such literal;
// `inf`, `nan`, booleans and dates are none.
std::optional<Json> ParseTomlNumber(std::string_view literal);

}  // namespace cacheon::bundle
