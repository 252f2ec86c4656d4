// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/scalar_type.h"

#include <array>
#include <limits>

namespace cacheon::artifact {
namespace {

struct Traits {
  std::string_view name;
  ScalarClass scalar_class;
  int parameter_width;  // 0: no parameter type
  std::int64_t minimum;
  std::uint64_t maximum;
};

template <typename T>
constexpr Traits Integer(std::string_view name) {
  using Limits = std::numeric_limits<T>;
  return {name, ScalarClass::kInteger, static_cast<int>(sizeof(T)),
          static_cast<std::int64_t>(Limits::min()), static_cast<std::uint64_t>(Limits::max())};
}

constexpr Traits Float(std::string_view name, int parameter_width) {
  return {name, ScalarClass::kFloat, parameter_width, 0, 0};
}

// In the order of ScalarType.
constexpr std::array<Traits, 14> kTraits = {{
    {"bool", ScalarClass::kBool, 1, 0, 1},
    Integer<std::int8_t>("i8"),
    Integer<std::uint8_t>("u8"),
    Integer<std::int16_t>("i16"),
    Integer<std::uint16_t>("u16"),
    Integer<std::int32_t>("i32"),
    Integer<std::uint32_t>("u32"),
    Integer<std::int64_t>("i64"),
    Integer<std::uint64_t>("u64"),
    Float("f16", 2),
    Float("bf16", 0),
    Float("f32", 4),
    Float("tf32", 0),
    Float("f64", 8),
}};

const Traits& TraitsOf(ScalarType type) { return kTraits[static_cast<std::size_t>(type)]; }

// An integer above int64 and within uint64.
bool FitsU64(const Json::BigInteger& big, std::uint64_t maximum) {
  if (big.decimal.starts_with('-') || big.decimal.size() > 20) return false;
  std::uint64_t value = 0;
  for (const char c : big.decimal) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return value <= maximum;
}

bool InRange(const Json& value, std::int64_t minimum, std::uint64_t maximum) {
  if (!value.is_integer()) return false;
  if (!value.is_int64()) return FitsU64(value.as_big_integer(), maximum);
  const std::int64_t number = value.as_int64();
  return number < 0 ? number >= minimum
                    : number >= minimum && static_cast<std::uint64_t>(number) <= maximum;
}

}  // namespace

TypedScalar ToTypedScalar(const Json& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int64()) return value.as_int64();
  if (value.is_float()) return value.as_float();
  std::uint64_t number = 0;
  for (const char c : value.as_big_integer().decimal) {
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

std::optional<ScalarType> FindScalarType(std::string_view name) {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].name == name) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

std::string_view ScalarTypeName(ScalarType type) { return TraitsOf(type).name; }

ScalarClass ClassOf(ScalarType type) { return TraitsOf(type).scalar_class; }

std::optional<int> ParameterWidth(ScalarType type) {
  const int width = TraitsOf(type).parameter_width;
  if (width == 0) return std::nullopt;
  return width;
}

bool IsIntegerOf(ScalarType type, const Json& value) {
  return InRange(value, TraitsOf(type).minimum, TraitsOf(type).maximum);
}

bool IsInteger64(const Json& value) { return InRange(value, INT64_MIN, UINT64_MAX); }

}  // namespace cacheon::artifact
