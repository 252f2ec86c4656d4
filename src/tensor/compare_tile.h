// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arithmetic of the comparators over short runs of floats. Sums are kept in a fixed number of
// lanes and added up in a fixed order, so the vector width of the machine does not show in a
// result.

#include <array>
#include <cstddef>
#include <cstdint>

#include "cacheon/tensor/dtype.h"

namespace cacheon::tensor::detail {

inline constexpr std::size_t kLanes = 16;

struct Bound {
  float atol = 0;
  float rtol = 0;
};

// What is known about a run of elements after comparing them one by one. Maxima are at least 0.
struct ElementErrors {
  float max_abs = 0;      // |a - e|; infinite when that is no number
  float max_rel = 0;      // |a - e| / (|e| + 1e-12); infinite when that is no number
  float max_badness = 0;  // Badness of the worst element
  std::uint32_t max_ulp = 0;
  std::int64_t outside = 0;
  std::int64_t non_finite_actual = 0;
  std::int64_t non_finite_expected = 0;

  void Add(const ElementErrors& other);
};

// How far beyond the bound an element is: 0 when it is exact or any number would do, infinite when
// it is not finite or the reference is NaN, else |a - e| / (atol + rtol |e|).
float Badness(float actual, float expected, Bound bound);

// Compares `count` elements. ULP steps are counted in `format`, a floating type, with the expected
// number rounded to it first; float64 counts in float32. Integer types count none.
ElementErrors CompareElements(const float* actual, const float* expected, std::size_t count,
                              Bound bound, DType format);

// The three sums of a cosine, exact products accumulated in double precision.
struct CosineSums {
  double dot = 0;
  double actual = 0;    // sum of squares
  double expected = 0;  // sum of squares

  void Add(const CosineSums& other);
};

CosineSums SumProducts(const float* actual, const float* expected, std::size_t count);

}  // namespace cacheon::tensor::detail
