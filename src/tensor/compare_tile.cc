// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/tensor/compare_tile.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cacheon/core/vector_clones.h"
#include "src/tensor/narrow_formats.h"

namespace cacheon::tensor::detail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline bool IsFinite(float value) { return (BitsOf(value) & kMagnitudeMask) < kInfinityBits; }
inline float Magnitude(float value) { return FromBits(BitsOf(value) & kMagnitudeMask); }
inline float NanAs(float value, float instead) { return value == value ? value : instead; }

inline float BadnessOf(float error, float expected, float bound) {
  // 0 / 0 is an exact element, and inf / inf a finite one against an infinite reference.
  const float ratio = NanAs(error / bound, 0.0F);
  return expected == expected && error == error ? ratio : kInfinity;
}

// One value per lane, so that each loop below is a plain vector loop.
struct ErrorLanes {
  std::array<float, kLanes> max_abs{};
  std::array<float, kLanes> max_rel{};
  std::array<float, kLanes> max_badness{};
  std::array<std::uint32_t, kLanes> outside{};
  std::array<std::uint32_t, kLanes> non_finite_actual{};
  std::array<std::uint32_t, kLanes> non_finite_expected{};
};

inline void CompareLane(ErrorLanes& lanes, std::size_t lane, float a, float e, Bound bound) {
  const float magnitude = Magnitude(e);
  const float error = Magnitude(a - e);
  const float limit = bound.atol + bound.rtol * magnitude;
  const float abs = NanAs(error, kInfinity);
  const float rel = NanAs(error / (magnitude + 1e-12F), kInfinity);
  const float badness = IsFinite(a) ? BadnessOf(error, e, limit) : kInfinity;
  lanes.max_abs[lane] = lanes.max_abs[lane] < abs ? abs : lanes.max_abs[lane];
  lanes.max_rel[lane] = lanes.max_rel[lane] < rel ? rel : lanes.max_rel[lane];
  lanes.max_badness[lane] = lanes.max_badness[lane] < badness ? badness : lanes.max_badness[lane];
  lanes.outside[lane] += error <= limit ? 0U : 1U;
  lanes.non_finite_actual[lane] += IsFinite(a) ? 0U : 1U;
  lanes.non_finite_expected[lane] += IsFinite(e) ? 0U : 1U;
}

CACHEON_VECTOR_CLONES void CompareLanes(const float* actual, const float* expected,
                                        std::size_t count, Bound bound, ErrorLanes& out) {
  ErrorLanes lanes = out;
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      CompareLane(lanes, lane, actual[i + lane], expected[i + lane], bound);
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    CompareLane(lanes, i - whole, actual[i], expected[i], bound);
  }
  out = lanes;
}

// Signed codes in the order of the numbers they stand for; both zeros are 0.
template <DType kFormat>
inline std::int32_t OrderedCode(float value) {
  std::uint32_t code = 0;
  std::uint32_t sign = 0;
  if constexpr (kFormat == DType::kFloat16) {
    const std::uint32_t bits = NarrowFloat16(value);
    code = bits & 0x7FFFU;
    sign = bits & 0x8000U;
  } else if constexpr (kFormat == DType::kBFloat16) {
    const std::uint32_t bits = NarrowBFloat16(value);
    code = bits & 0x7FFFU;
    sign = bits & 0x8000U;
  } else if constexpr (kFormat == DType::kFloat8E4M3) {
    const std::uint32_t bits = NarrowFloat8E4M3(value);
    code = bits & 0x7FU;
    sign = bits & 0x80U;
  } else {
    const std::uint32_t bits = BitsOf(value);
    code = bits & kMagnitudeMask;
    sign = bits & kSignBit;
  }
  const auto ordered = static_cast<std::int32_t>(code);
  return sign != 0 ? -ordered : ordered;
}

template <DType kFormat>
inline std::uint32_t UlpDistance(float a, float e) {
  const std::int32_t x = OrderedCode<kFormat>(a);
  const std::int32_t y = OrderedCode<kFormat>(e);
  const auto up = static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(y);
  return x < y ? 0U - up : up;
}

template <DType kFormat>
inline std::uint32_t MaxUlpOf(const float* actual, const float* expected, std::size_t count) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t distance = UlpDistance<kFormat>(actual[i], expected[i]);
    most = most < distance ? distance : most;
  }
  return most;
}

CACHEON_VECTOR_CLONES std::uint32_t MaxUlp16(const float* a, const float* e, std::size_t n) {
  return MaxUlpOf<DType::kFloat16>(a, e, n);
}
CACHEON_VECTOR_CLONES std::uint32_t MaxUlpBrain(const float* a, const float* e, std::size_t n) {
  return MaxUlpOf<DType::kBFloat16>(a, e, n);
}
CACHEON_VECTOR_CLONES std::uint32_t MaxUlpE4M3(const float* a, const float* e, std::size_t n) {
  return MaxUlpOf<DType::kFloat8E4M3>(a, e, n);
}
CACHEON_VECTOR_CLONES std::uint32_t MaxUlp32(const float* a, const float* e, std::size_t n) {
  return MaxUlpOf<DType::kFloat32>(a, e, n);
}

std::uint32_t MaxUlp(const float* a, const float* e, std::size_t n, DType format) {
  if (!IsFloating(format)) return 0;
  if (format == DType::kFloat16) return MaxUlp16(a, e, n);
  if (format == DType::kBFloat16) return MaxUlpBrain(a, e, n);
  if (format == DType::kFloat8E4M3) return MaxUlpE4M3(a, e, n);
  return MaxUlp32(a, e, n);
}

struct SumLanes {
  std::array<double, kLanes> dot{};
  std::array<double, kLanes> actual{};
  std::array<double, kLanes> expected{};
};

inline void SumLane(SumLanes& lanes, std::size_t lane, float actual, float expected) {
  const double a = actual;
  const double e = expected;
  lanes.dot[lane] += a * e;
  lanes.actual[lane] += a * a;
  lanes.expected[lane] += e * e;
}

CACHEON_VECTOR_CLONES void SumIntoLanes(const float* actual, const float* expected,
                                        std::size_t count, SumLanes& out) {
  SumLanes lanes = out;
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      SumLane(lanes, lane, actual[i + lane], expected[i + lane]);
    }
  }
  for (std::size_t i = whole; i < count; ++i) SumLane(lanes, i - whole, actual[i], expected[i]);
  out = lanes;
}

double InOrder(const std::array<double, kLanes>& lanes) {
  double sum = 0;
  for (const double value : lanes) sum += value;
  return sum;
}

}  // namespace

void ElementErrors::Add(const ElementErrors& other) {
  max_abs = std::max(max_abs, other.max_abs);
  max_rel = std::max(max_rel, other.max_rel);
  max_badness = std::max(max_badness, other.max_badness);
  max_ulp = std::max(max_ulp, other.max_ulp);
  outside += other.outside;
  non_finite_actual += other.non_finite_actual;
  non_finite_expected += other.non_finite_expected;
}

void CosineSums::Add(const CosineSums& other) {
  dot += other.dot;
  actual += other.actual;
  expected += other.expected;
}

float Badness(float actual, float expected, Bound bound) {
  if (!IsFinite(actual)) return kInfinity;
  const float magnitude = Magnitude(expected);
  return BadnessOf(Magnitude(actual - expected), expected, bound.atol + bound.rtol * magnitude);
}

ElementErrors CompareElements(const float* actual, const float* expected, std::size_t count,
                              Bound bound, DType format) {
  ErrorLanes lanes;
  CompareLanes(actual, expected, count, bound, lanes);
  ElementErrors errors;
  errors.max_ulp = MaxUlp(actual, expected, count, format);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    errors.max_abs = std::max(errors.max_abs, lanes.max_abs[lane]);
    errors.max_rel = std::max(errors.max_rel, lanes.max_rel[lane]);
    errors.max_badness = std::max(errors.max_badness, lanes.max_badness[lane]);
    errors.outside += lanes.outside[lane];
    errors.non_finite_actual += lanes.non_finite_actual[lane];
    errors.non_finite_expected += lanes.non_finite_expected[lane];
  }
  return errors;
}

CosineSums SumProducts(const float* actual, const float* expected, std::size_t count) {
  SumLanes lanes;
  SumIntoLanes(actual, expected, count, lanes);
  return {.dot = InOrder(lanes.dot),
          .actual = InOrder(lanes.actual),
          .expected = InOrder(lanes.expected)};
}

}  // namespace cacheon::tensor::detail
