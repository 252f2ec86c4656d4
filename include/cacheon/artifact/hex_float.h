// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one spelling of binary64 numbers inside identities: optional `-`, `0x1.`, 13 lower-case hex
// digits, `p` and a signed decimal exponent. Subnormals are `0x0.` + 13 digits + `p-1022`; zero is
// `0x0.0p+0` or `-0x0.0p+0`.

#include <optional>
#include <string>
#include <string_view>

namespace cacheon::artifact {

// The normalised spelling. Requires a finite value.
std::string HexFloat(double value);

enum class HexFloatFault {
  kNotHex,        // no hexadecimal float at all, or one beyond binary64
  kNotCanonical,  // another spelling of a number, or an infinity, or not a number
};

struct HexFloatResult {
  double value = 0;
  std::optional<HexFloatFault> fault = {};
};

HexFloatResult ParseHexFloat(std::string_view text);

}  // namespace cacheon::artifact
