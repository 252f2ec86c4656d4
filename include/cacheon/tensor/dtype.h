// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element types and their exact conversions. Narrowing rounds to nearest, ties to even, unless a
// function says otherwise; widening is exact.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cacheon::tensor {

enum class DType : std::uint8_t {
  kBool,
  kUInt8,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kFloat8E4M3,  // float8_e4m3fn: bias 7, largest 448, S.1111.111 is NaN, no infinities
  // Two E2M1 numbers in a byte, the even one in the low nibble; shapes count bytes. Live layers
  // hold such bytes as torch's uint8.
  kFloat4E2M1x2,
};

std::size_t ItemSize(DType dtype);
// torch's name without the prefix: "bfloat16", "float8_e4m3fn", ... ParseDType reads these names
// and no aliases.
std::string_view Name(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
bool IsFloating(DType dtype);
// Distance from 1 to the next larger number of a floating type.
double Epsilon(DType dtype);

// Infinities and NaN keep their sign. To bfloat16 and float16, NaN keeps the upper bits of its
// payload and turns quiet; numbers too large give infinity.
float FromBFloat16(std::uint16_t bits);
std::uint16_t ToBFloat16(float value);
float FromFloat16(std::uint16_t bits);
std::uint16_t ToFloat16(float value);
float FromFloat8E4M3(std::uint8_t bits);
// |value| above 464, infinities and NaN give NaN (0x7F with the sign).
std::uint8_t ToFloat8E4M3(float value);
// Code 0..15: bit 3 the sign, bits 0..2 the index of {0, 0.5, 1, 1.5, 2, 3, 4, 6}.
float FromFloat4E2M1(std::uint8_t code);
// Ties go to the lower magnitude; values beyond 6 give 6; NaN gives 0; the sign bit is set exactly
// for value < 0, so -0 gives code 0 and -1e-30 gives code 8.
std::uint8_t ToFloat4E2M1(float value);

// Bulk conversions of dense elements, vectorised; the bytes may stand at any address and hold as
// many elements as the float span. Integers and float64 are rounded to float32; to integers, floats
// are truncated towards zero and saturated and NaN gives 0; to bool, everything but 0 is true.
// kFloat4E2M1x2 has no addressable elements and must not be passed (CACHEON_CHECK).
void WidenToFloat(DType dtype, const std::byte* source, std::span<float> target);
void NarrowFromFloat(DType dtype, std::span<const float> source, std::byte* target);

}  // namespace cacheon::tensor
