// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/dtype.h"

#include <array>

#include "src/tensor/narrow_formats.h"

namespace cacheon::tensor {
namespace {

struct Traits {
  DType dtype;
  std::string_view name;
  std::size_t item_size;
  double epsilon;  // 0: not a floating type
};

// In the order of the enumeration.
constexpr std::array kTraits = {
    Traits{DType::kBool, "bool", 1, 0},
    Traits{DType::kUInt8, "uint8", 1, 0},
    Traits{DType::kInt32, "int32", 4, 0},
    Traits{DType::kInt64, "int64", 8, 0},
    Traits{DType::kFloat16, "float16", 2, 0x1p-10},
    Traits{DType::kBFloat16, "bfloat16", 2, 0x1p-7},
    Traits{DType::kFloat32, "float32", 4, 0x1p-23},
    Traits{DType::kFloat64, "float64", 8, 0x1p-52},
    Traits{DType::kFloat8E4M3, "float8_e4m3fn", 1, 0x1p-3},
    Traits{DType::kFloat4E2M1x2, "float4_e2m1fn_x2", 1, 0x1p-1},
};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits[i].dtype) != i) return false;
  }
  return true;
}
static_assert(IsInOrder(), "the table is indexed by the enumeration");

const Traits& Of(DType dtype) { return kTraits[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t ItemSize(DType dtype) { return Of(dtype).item_size; }
std::string_view Name(DType dtype) { return Of(dtype).name; }
bool IsFloating(DType dtype) { return Of(dtype).epsilon > 0; }
double Epsilon(DType dtype) { return Of(dtype).epsilon; }

std::optional<DType> ParseDType(std::string_view name) {
  for (const Traits& traits : kTraits) {
    if (traits.name == name) return traits.dtype;
  }
  return std::nullopt;
}

float FromBFloat16(std::uint16_t bits) { return detail::WidenBFloat16(bits); }
std::uint16_t ToBFloat16(float value) { return detail::NarrowBFloat16(value); }
float FromFloat16(std::uint16_t bits) { return detail::WidenFloat16(bits); }
std::uint16_t ToFloat16(float value) { return detail::NarrowFloat16(value); }
float FromFloat8E4M3(std::uint8_t bits) { return detail::WidenFloat8E4M3(bits); }
std::uint8_t ToFloat8E4M3(float value) { return detail::NarrowFloat8E4M3(value); }
float FromFloat4E2M1(std::uint8_t code) { return detail::WidenFloat4E2M1(code); }
std::uint8_t ToFloat4E2M1(float value) { return detail::NarrowFloat4E2M1(value); }

}  // namespace cacheon::tensor
