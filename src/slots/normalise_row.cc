// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <cstddef>

#include "cacheon/core/vector_clones.h"
#include "src/slots/normalise_row.h"

namespace cacheon::slots {
namespace {

// Partial sums that run side by side: their number, not the machine's vector length, fixes the
// order of the sum.
constexpr std::size_t kLanes = 16;

template <typename T>
inline double SumOfSquares(const T* x, std::size_t count) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = x[i + lane];
      lanes[lane] += value * value;
    }
  }
  for (std::size_t lane = 0; i + lane < count; ++lane) {
    const double value = x[i + lane];
    lanes[lane] += value * value;
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

template <typename T>
inline void Normalise(const T* x, const float* weight, std::size_t count, double eps, float* out) {
  const double mean = SumOfSquares(x, count) / static_cast<double>(count);
  const double factor = 1.0 / std::sqrt(mean + eps);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] =
        static_cast<float>(static_cast<double>(x[i]) * factor * static_cast<double>(weight[i]));
  }
}

CACHEON_VECTOR_CLONES void NormaliseFloats(const float* x, const float* weight, std::size_t count,
                                           double eps, float* out) {
  Normalise(x, weight, count, eps, out);
}

CACHEON_VECTOR_CLONES void NormaliseDoubles(const double* x, const float* weight, std::size_t count,
                                            double eps, float* out) {
  Normalise(x, weight, count, eps, out);
}

}  // namespace

void NormaliseRow(std::span<const float> x, std::span<const float> weight, double eps, float* out) {
  NormaliseFloats(x.data(), weight.data(), x.size(), eps, out);
}

void NormaliseRow(std::span<const double> x, std::span<const float> weight, double eps,
                  float* out) {
  NormaliseDoubles(x.data(), weight.data(), x.size(), eps, out);
}

}  // namespace cacheon::slots
