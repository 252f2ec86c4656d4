// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The scalar types that slots, casts and kernel parameters use.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "cacheon/core/json.h"

namespace cacheon::artifact {

enum class ScalarType : std::uint8_t {
  kBool,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF16,
  kBf16,  // casts only: no kernel parameter has it
  kF32,
  kTf32,  // casts only
  kF64,
};

enum class ScalarClass : std::uint8_t { kBool, kInteger, kFloat };

// A live scalar with its type: bool, integer and float are distinct. Integers above int64 use the
// unsigned alternative, all others the signed one.
using TypedScalar = std::variant<bool, std::int64_t, std::uint64_t, double>;

// Requires a bool, an integer within 64 bits or a float.
TypedScalar ToTypedScalar(const Json& value);

std::optional<ScalarType> FindScalarType(std::string_view name);
std::string_view ScalarTypeName(ScalarType type);
ScalarClass ClassOf(ScalarType type);

// The bytes that a kernel parameter or packed field of this type has; nullopt for `bf16` and
// `tf32`, which are no parameter types.
std::optional<int> ParameterWidth(ScalarType type);

// True when `value` is an exact integer within the range of the integer type `type`.
bool IsIntegerOf(ScalarType type, const Json& value);

// True when `value` is an exact integer in [-2^63, 2^64-1], the range of fill values.
bool IsInteger64(const Json& value);

}  // namespace cacheon::artifact
