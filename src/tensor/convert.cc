// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk conversions: one loop per element type, compiled for several instruction sets.

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cacheon/core/result.h"
#include "cacheon/core/vector_clones.h"
#include "cacheon/tensor/dtype.h"
#include "src/tensor/narrow_formats.h"

namespace cacheon::tensor {
namespace {

// Elements are read and written through memcpy: a view may stand at any address.
template <typename T>
inline T Load(const std::byte* source, std::size_t i) {
  T value;
  std::memcpy(&value, source + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
inline void Store(std::byte* target, std::size_t i, T value) {
  std::memcpy(target + i * sizeof(T), &value, sizeof(T));
}

CACHEON_VECTOR_CLONES void WidenBools(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = Load<std::uint8_t>(source, i) != 0 ? 1.0F : 0.0F;
  }
}

CACHEON_VECTOR_CLONES void WidenUInt8(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) target[i] = Load<std::uint8_t>(source, i);
}

CACHEON_VECTOR_CLONES void WidenInt32(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = static_cast<float>(Load<std::int32_t>(source, i));
  }
}

CACHEON_VECTOR_CLONES void WidenInt64(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = static_cast<float>(Load<std::int64_t>(source, i));
  }
}

CACHEON_VECTOR_CLONES void WidenHalves(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = detail::WidenFloat16(Load<std::uint16_t>(source, i));
  }
}

CACHEON_VECTOR_CLONES void WidenBrains(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = detail::WidenBFloat16(Load<std::uint16_t>(source, i));
  }
}

CACHEON_VECTOR_CLONES void WidenDoubles(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) target[i] = static_cast<float>(Load<double>(source, i));
}

CACHEON_VECTOR_CLONES void WidenE4M3(const std::byte* source, std::size_t n, float* target) {
  for (std::size_t i = 0; i < n; ++i) {
    target[i] = detail::WidenFloat8E4M3(Load<std::uint8_t>(source, i));
  }
}

CACHEON_VECTOR_CLONES void NarrowBools(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) {
    Store<std::uint8_t>(target, i, source[i] != 0.0F ? 1 : 0);
  }
}

// Towards zero, saturated, NaN gives 0. `below_max` is the largest float that T can hold.
template <typename T>
inline T ToInteger(float value, float below_max) {
  constexpr auto kMin = static_cast<float>(std::numeric_limits<T>::min());
  const float not_nan = value == value ? value : 0.0F;
  const float low = not_nan < kMin ? kMin : not_nan;
  const T inside = static_cast<T>(low > below_max ? below_max : low);
  return low > below_max ? std::numeric_limits<T>::max() : inside;
}

CACHEON_VECTOR_CLONES void NarrowUInt8(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) {
    Store(target, i, ToInteger<std::uint8_t>(source[i], 255.0F));
  }
}

CACHEON_VECTOR_CLONES void NarrowInt32(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) {
    Store(target, i, ToInteger<std::int32_t>(source[i], 0x1.fffffep30F));
  }
}

CACHEON_VECTOR_CLONES void NarrowInt64(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) {
    Store(target, i, ToInteger<std::int64_t>(source[i], 0x1.fffffep62F));
  }
}

CACHEON_VECTOR_CLONES void NarrowHalves(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) Store(target, i, detail::NarrowFloat16(source[i]));
}

CACHEON_VECTOR_CLONES void NarrowBrains(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) Store(target, i, detail::NarrowBFloat16(source[i]));
}

CACHEON_VECTOR_CLONES void NarrowDoubles(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) Store(target, i, static_cast<double>(source[i]));
}

CACHEON_VECTOR_CLONES void NarrowE4M3(const float* source, std::size_t n, std::byte* target) {
  for (std::size_t i = 0; i < n; ++i) Store(target, i, detail::NarrowFloat8E4M3(source[i]));
}

}  // namespace

void WidenToFloat(DType dtype, const std::byte* source, std::span<float> target) {
  const std::size_t n = target.size();
  if (n == 0) return;
  switch (dtype) {
    case DType::kBool:
      return WidenBools(source, n, target.data());
    case DType::kUInt8:
      return WidenUInt8(source, n, target.data());
    case DType::kInt32:
      return WidenInt32(source, n, target.data());
    case DType::kInt64:
      return WidenInt64(source, n, target.data());
    case DType::kFloat16:
      return WidenHalves(source, n, target.data());
    case DType::kBFloat16:
      return WidenBrains(source, n, target.data());
    case DType::kFloat32:
      std::memcpy(target.data(), source, n * sizeof(float));
      return;
    case DType::kFloat64:
      return WidenDoubles(source, n, target.data());
    case DType::kFloat8E4M3:
      return WidenE4M3(source, n, target.data());
    case DType::kFloat4E2M1x2:
      break;
  }
  CACHEON_CHECK(false, "packed E2M1 numbers have no address; nvfp4.h decodes them");
}

void NarrowFromFloat(DType dtype, std::span<const float> source, std::byte* target) {
  const std::size_t n = source.size();
  if (n == 0) return;
  switch (dtype) {
    case DType::kBool:
      return NarrowBools(source.data(), n, target);
    case DType::kUInt8:
      return NarrowUInt8(source.data(), n, target);
    case DType::kInt32:
      return NarrowInt32(source.data(), n, target);
    case DType::kInt64:
      return NarrowInt64(source.data(), n, target);
    case DType::kFloat16:
      return NarrowHalves(source.data(), n, target);
    case DType::kBFloat16:
      return NarrowBrains(source.data(), n, target);
    case DType::kFloat32:
      std::memcpy(target, source.data(), n * sizeof(float));
      return;
    case DType::kFloat64:
      return NarrowDoubles(source.data(), n, target);
    case DType::kFloat8E4M3:
      return NarrowE4M3(source.data(), n, target);
    case DType::kFloat4E2M1x2:
      break;
  }
  CACHEON_CHECK(false, "packed E2M1 numbers have no address; nvfp4.h encodes them");
}

}  // namespace cacheon::tensor
