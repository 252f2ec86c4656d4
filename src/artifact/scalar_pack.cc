// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/scalar_pack.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "src/artifact/bytes.h"

namespace cacheon::artifact {
namespace {

// binary64 to binary16, to nearest even; nullopt when the rounded value is infinite.
std::optional<std::uint16_t> RoundToHalf(double value) {
  constexpr double kOverflow = 65520.0;  // halfway between the largest half and the next power
  constexpr int kMantissaBits = 10;
  constexpr int kMinExponent = -14;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= kOverflow) return std::nullopt;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < kMinExponent) exponent = kMinExponent;
  // Scaled so that one unit is one unit in the last place; exact, and nearbyint rounds to even.
  const double scaled = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
  const auto units = static_cast<unsigned>(scaled);
  // A subnormal has exponent field 0; a carry into the next exponent comes out right by itself.
  const auto bits = (static_cast<unsigned>(exponent - kMinExponent) << kMantissaBits) + units;
  return static_cast<std::uint16_t>(sign | bits);
}

// An integer as JSON, which knows the ranges of types; null for anything else.
Json IntegerOf(const TypedScalar& value) {
  if (const auto* narrow = std::get_if<std::int64_t>(&value)) return *narrow;
  if (const auto* wide = std::get_if<std::uint64_t>(&value)) return *wide;
  return {};
}

Status PackInteger(ScalarType type, const TypedScalar& value, std::span<std::byte> out) {
  const Json integer = IntegerOf(value);
  if (!IsIntegerOf(type, integer)) {
    return Fail("ln.scalar_range", integer.is_null()
                                       ? fmt::format("{} needs an integer", ScalarTypeName(type))
                                       : fmt::format("{} does not fit {}", DocumentJson(integer),
                                                     ScalarTypeName(type)));
  }
  const auto width = static_cast<std::size_t>(*ParameterWidth(type));
  if (const auto* wide = std::get_if<std::uint64_t>(&value)) {
    StoreLittle(*wide, width, out);
  } else {
    StoreLittle(std::get<std::int64_t>(value), width, out);
  }
  return {};
}

Status PackFloat(ScalarType type, const TypedScalar& value, std::span<std::byte> out) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) {
    return Fail("ln.scalar_float", fmt::format("{} needs a finite float", ScalarTypeName(type)));
  }
  if (type == ScalarType::kF64) {
    StoreLittle(std::bit_cast<std::uint64_t>(*number), out);
    return {};
  }
  if (type == ScalarType::kF32) {
    const auto narrow = static_cast<float>(*number);
    if (std::isfinite(narrow)) {
      StoreLittle(std::bit_cast<std::uint32_t>(narrow), out);
      return {};
    }
  } else if (const auto half = RoundToHalf(*number)) {
    StoreLittle(*half, out);
    return {};
  }
  return Fail("ln.scalar_range", fmt::format("{} does not fit {}", *number, ScalarTypeName(type)));
}

}  // namespace

Status PackScalar(ScalarType type, const TypedScalar& value, std::span<std::byte> out) {
  switch (ClassOf(type)) {
    case ScalarClass::kBool: {
      const auto* flag = std::get_if<bool>(&value);
      if (flag == nullptr) return Fail("ln.scalar_bool", "a bool parameter needs a bool");
      out[0] = std::byte{*flag};
      return {};
    }
    case ScalarClass::kInteger:
      return PackInteger(type, value, out);
    case ScalarClass::kFloat:
      return PackFloat(type, value, out);
  }
  std::unreachable();
}

}  // namespace cacheon::artifact
