// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Divisors prepared for division by multiplication, in the layouts of CUTLASS and of the CuTe DSL.
// Both divide 0 <= n < 2^31.

#include <array>
#include <cstddef>
#include <cstdint>

#include "cacheon/artifact/expression.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

using FastDivmodBytes = std::array<std::byte, 12>;

// i32 divisor; u32 multiplier; u32 shift. With L = ceil(log2 d) and p = 31 + L: multiplier =
// ceil(2^p / d), shift = p - 32; both 0 for d = 1. On the device:
// q = d == 1 ? n : umulhi(n, multiplier) >> shift. Requires 1 <= divisor.
FastDivmodBytes EncodeCutlassFastDivmod(std::int32_t divisor);

// i32 divisor; u32 multiplier; u8 s1; u8 s2; two zero bytes. multiplier =
// floor(2^32 * (2^L - d) / d) + 1, s1 = min(L, 1), s2 = max(L - 1, 0). On the device:
// t = umulhi(n, multiplier); q = (t + ((n - t) >> s1)) >> s2. Requires 1 <= divisor.
FastDivmodBytes EncodeCuteFastDivmod(std::int32_t divisor);

// An exact integer in 1..2^31-1. Code pm.fdm_range.
Result<std::int32_t> CheckDivisor(const ExprValue& value);

}  // namespace cacheon::artifact
