// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The conversions between float32 and the narrow formats, without branches, so that loops over them
// vectorise. They need the default rounding mode and nothing else: no table, no hardware format,
// and subnormal float32 inputs or results are never relied on. Infinities are encoded as the
// sign-and- magnitude formats have them; NaN keeps its sign and the upper bits of its payload and
// turns quiet.

#include <bit>
#include <cstdint>

namespace cacheon::tensor::detail {

inline constexpr std::uint32_t kSignBit = 0x8000'0000U;
inline constexpr std::uint32_t kMagnitudeMask = 0x7FFF'FFFFU;
inline constexpr std::uint32_t kInfinityBits = 0x7F80'0000U;

inline std::uint32_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float FromBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline float WidenBFloat16(std::uint16_t bits) { return FromBits(std::uint32_t{bits} << 16U); }

inline std::uint16_t NarrowBFloat16(float value) {
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  const std::uint32_t nan = (bits >> 16U) | 0x40U;
  return static_cast<std::uint16_t>((bits & kMagnitudeMask) > kInfinityBits ? nan : rounded);
}

// float16: 5 exponent bits with bias 15, 10 mantissa bits; the subnormal step is 2^-24.
inline float WidenFloat16(std::uint16_t bits) {
  constexpr std::uint32_t kRebias = (127U - 15U) << 23U;
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16U;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  const std::uint32_t normal = (magnitude << 13U) + kRebias;
  const std::uint32_t special = normal + kRebias;  // exponent 31 becomes 255
  const std::uint32_t subnormal =
      BitsOf(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t finite = magnitude < 0x0400U ? subnormal : normal;
  return FromBits(sign | (magnitude >= 0x7C00U ? special : finite));
}

inline std::uint16_t NarrowFloat16(float value) {
  constexpr std::uint32_t kRebias = (127U - 15U) << 23U;
  constexpr std::uint32_t kSmallestNormal = 0x3880'0000U;  // 2^-14
  constexpr std::uint32_t kOverflow = 0x477F'F000U;        // 65520 rounds to infinity
  constexpr float kSubnormalMagic = 0.5F;                  // its last bit is worth 2^-24
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t sign = (bits & kSignBit) >> 16U;
  const std::uint32_t magnitude = bits & kMagnitudeMask;
  const std::uint32_t normal = (magnitude - kRebias + 0xFFFU + ((magnitude >> 13U) & 1U)) >> 13U;
  const std::uint32_t subnormal =
      BitsOf(FromBits(magnitude) + kSubnormalMagic) - BitsOf(kSubnormalMagic);
  const std::uint32_t nan = 0x7E00U | ((magnitude >> 13U) & 0x3FFU);
  const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
  const std::uint32_t bounded = magnitude >= kOverflow ? 0x7C00U : finite;
  return static_cast<std::uint16_t>(sign | (magnitude > kInfinityBits ? nan : bounded));
}

// float8_e4m3fn: 4 exponent bits with bias 7, 3 mantissa bits; the subnormal step is 2^-9 and the
// largest exponent holds numbers too, up to 448.
inline float WidenFloat8E4M3(std::uint8_t bits) {
  constexpr std::uint32_t kRebias = (127U - 7U) << 23U;
  constexpr std::uint32_t kNan = 0x7FC0'0000U;
  const std::uint32_t sign = (std::uint32_t{bits} & 0x80U) << 24U;
  const std::uint32_t magnitude = bits & 0x7FU;
  const std::uint32_t normal = (magnitude << 20U) + kRebias;
  const std::uint32_t subnormal =
      BitsOf(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-9F);
  const std::uint32_t finite = magnitude < 0x08U ? subnormal : normal;
  return FromBits(sign | (magnitude == 0x7FU ? kNan : finite));
}

inline std::uint8_t NarrowFloat8E4M3(float value) {
  constexpr std::uint32_t kRebias = (127U - 7U) << 23U;
  constexpr std::uint32_t kSmallestNormal = 0x3C80'0000U;  // 2^-6
  constexpr std::uint32_t kLargest = 0x43E8'0000U;         // 464, halfway to the NaN's place
  constexpr float kSubnormalMagic = 0x1p14F;               // its last bit is worth 2^-9
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t sign = (bits & kSignBit) >> 24U;
  const std::uint32_t magnitude = bits & kMagnitudeMask;
  const std::uint32_t normal = (magnitude - kRebias + 0x7'FFFFU + ((magnitude >> 20U) & 1U)) >> 20U;
  const std::uint32_t subnormal =
      BitsOf(FromBits(magnitude) + kSubnormalMagic) - BitsOf(kSubnormalMagic);
  const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
  return static_cast<std::uint8_t>(sign | (magnitude > kLargest ? 0x7FU : finite));
}

// E2M1: 2 exponent bits with bias 1, 1 mantissa bit: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
inline float WidenFloat4E2M1(std::uint8_t code) {
  constexpr std::uint32_t kRebias = (127U - 1U) << 23U;
  const std::uint32_t sign = (std::uint32_t{code} & 8U) << 28U;
  const std::uint32_t magnitude = code & 7U;
  const std::uint32_t normal = (magnitude << 22U) + kRebias;
  const std::uint32_t subnormal = magnitude == 0 ? 0U : BitsOf(0.5F);
  return FromBits(sign | (magnitude < 2U ? subnormal : normal));
}

// The number of midpoints below |value| is the index of the nearest number, lower on a tie.
inline std::uint8_t NarrowFloat4E2M1(float value) {
  const float magnitude = FromBits(BitsOf(value) & kMagnitudeMask);
  const int index = (magnitude > 0.25F ? 1 : 0) + (magnitude > 0.75F ? 1 : 0) +
                    (magnitude > 1.25F ? 1 : 0) + (magnitude > 1.75F ? 1 : 0) +
                    (magnitude > 2.5F ? 1 : 0) + (magnitude > 3.5F ? 1 : 0) +
                    (magnitude > 5.0F ? 1 : 0);
  return static_cast<std::uint8_t>(index | (value < 0 ? 8 : 0));
}

}  // namespace cacheon::tensor::detail
