// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/fast_divmod.h"

#include <algorithm>
#include <bit>
#include <span>

#include "src/artifact/bytes.h"

namespace cacheon::artifact {
namespace {

// ceil(log2 d).
unsigned Log2Ceil(std::uint64_t divisor) {
  return static_cast<unsigned>(std::bit_width(divisor - 1));
}

}  // namespace

FastDivmodBytes EncodeCutlassFastDivmod(std::int32_t divisor) {
  FastDivmodBytes bytes{};
  const std::span<std::byte> out(bytes);
  StoreLittle(divisor, out);
  if (divisor == 1) return bytes;
  const auto d = static_cast<std::uint64_t>(divisor);
  const unsigned p = 31 + Log2Ceil(d);
  const std::uint64_t multiplier = ((std::uint64_t{1} << p) + d - 1) / d;
  StoreLittle(static_cast<std::uint32_t>(multiplier), out.subspan(4));
  StoreLittle(static_cast<std::uint32_t>(p - 32), out.subspan(8));
  return bytes;
}

FastDivmodBytes EncodeCuteFastDivmod(std::int32_t divisor) {
  FastDivmodBytes bytes{};
  const std::span<std::byte> out(bytes);
  const auto d = static_cast<std::uint64_t>(divisor);
  const unsigned log2 = Log2Ceil(d);
  const std::uint64_t multiplier = (((std::uint64_t{1} << log2) - d) << 32U) / d + 1;
  StoreLittle(divisor, out);
  StoreLittle(static_cast<std::uint32_t>(multiplier), out.subspan(4));
  out[8] = static_cast<std::byte>(std::min(log2, 1U));
  out[9] = static_cast<std::byte>(std::max(log2, 1U) - 1);
  return bytes;
}

Result<std::int32_t> CheckDivisor(const ExprValue& value) {
  const auto* divisor = std::get_if<std::int64_t>(&value);
  if (divisor == nullptr || *divisor < 1 || *divisor > INT32_MAX) {
    return Fail("pm.fdm_range", "a divisor is an integer in 1..2^31-1");
  }
  return static_cast<std::int32_t>(*divisor);
}

}  // namespace cacheon::artifact
