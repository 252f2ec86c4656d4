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
  kFloat8E4M3,    // float8_e4m3fn: bias 7, largest 448, S.1111.111 is NaN, no infinities
  kFloat4E2M1x2,  // two E2M1 numbers in a byte, the even element in the low nibble; torch: uint8
};

std::size_t ItemSize(DType dtype);
// torch's name without the prefix: "bfloat16", "float8_e4m3fn", ...
std::string_view Name(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
bool IsFloating(DType dtype);
// Distance from 1 to the next larger number of a floating type.
double Epsilon(DType dtype);

float FromBFloat16(std::uint16_t bits);
std::uint16_t ToBFloat16(float value);
float FromFloat16(std::uint16_t bits);
std::uint16_t ToFloat16(float value);
float FromFloat8E4M3(std::uint8_t bits);
// |value| above 464, infinities and NaN give NaN (0x7F with the sign).
std::uint8_t ToFloat8E4M3(float value);
// Code 0..15: bit 3 the sign, bits 0..2 the index of {0, 0.5, 1, 1.5, 2, 3, 4, 6}.
float FromFloat4E2M1(std::uint8_t code);
// Ties go to the lower magnitude; values beyond 6 give 6; the sign bit is set exactly for value <
// 0.
std::uint8_t ToFloat4E2M1(float value);

// Bulk conversions of dense elements, vectorised. `source` and `target` hold as many elements as
// the float span. Integer types convert by value; kFloat4E2M1x2 is not an element type here.
void WidenToFloat(DType dtype, const std::byte* source, std::span<float> target);
void NarrowFromFloat(DType dtype, std::span<const float> source, std::byte* target);

}  // namespace cacheon::tensor
