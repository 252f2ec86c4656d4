// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integer arithmetic on input: checked, or defined for every pair that its callers admit.

#include <cstdint>
#include <optional>
#include <span>

namespace cacheon::artifact {

inline std::optional<std::int64_t> CheckedAdd(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<std::int64_t> CheckedSub(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<std::int64_t> CheckedMul(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// The three below require b > 0, for which no quotient leaves int64.
inline std::int64_t FloorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
inline std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }
inline std::int64_t FloorMod(std::int64_t a, std::int64_t b) { return a % b + (a % b < 0 ? b : 0); }

// The product of dims that are not negative; nullopt when it leaves int64. Any zero makes it 0,
// whatever the others are.
inline std::optional<std::int64_t> Numel(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  bool overflow = false;
  for (const std::int64_t dim : dims) {
    if (dim == 0) return 0;
    overflow |= __builtin_mul_overflow(product, dim, &product);
  }
  if (overflow) return std::nullopt;
  return product;
}

}  // namespace cacheon::artifact
