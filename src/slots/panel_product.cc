// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/panel_product.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "cacheon/core/vector_clones.h"

namespace cacheon::slots {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kStrip = 512;  // elements summed in float32

using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
using UnalignedVector =
    float __attribute__((vector_size(kLanes * sizeof(float)), aligned(sizeof(float)), may_alias));

#define CACHEON_ALWAYS_INLINE inline __attribute__((always_inline))

CACHEON_ALWAYS_INLINE double SumOfLanes(const Vector& lanes) {
  std::array<double, kLanes> wide;
  for (std::size_t i = 0; i < kLanes; ++i) wide[i] = static_cast<double>(lanes[i]);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) wide[i] += wide[i + half];
  }
  return wide[0];
}

// A tile of R weight rows and V vectors over the elements [begin, end); adds to `out`.
template <int R, int V>
CACHEON_ALWAYS_INLINE void Tile(const float* const* weights, const float* const* vectors,
                                std::int64_t begin, std::int64_t end, double (&out)[R][V]) {
  Vector sums[R][V] = {};
  std::int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (int r = 0; r < R; ++r) {
      const Vector w = *reinterpret_cast<const UnalignedVector*>(weights[r] + i);
      for (int v = 0; v < V; ++v) {
        sums[r][v] += w * *reinterpret_cast<const UnalignedVector*>(vectors[v] + i);
      }
    }
  }
  for (std::int64_t lane = 0; i + lane < end; ++lane) {
    for (int r = 0; r < R; ++r) {
      for (int v = 0; v < V; ++v) sums[r][v][lane] += weights[r][i + lane] * vectors[v][i + lane];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) out[r][v] += SumOfLanes(sums[r][v]);
  }
}

template <int R, int V>
CACHEON_ALWAYS_INLINE void WholeTile(const float* weights, std::int64_t width,
                                     const float* const* vectors, std::int64_t stride,
                                     double* out) {
  const float* rows[R];
  for (int r = 0; r < R; ++r) rows[r] = weights + r * width;
  double total[R][V] = {};
  for (std::int64_t begin = 0; begin < width; begin += kStrip) {
    Tile<R, V>(rows, vectors, begin, std::min(width, begin + kStrip), total);
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) out[r * stride + v] = total[r][v];
  }
}

template <int R>
CACHEON_ALWAYS_INLINE void RowTiles(const float* weights, std::int64_t width,
                                    const float* const* vectors, std::int64_t count, double* out) {
  std::int64_t v = 0;
  for (; v + 4 <= count; v += 4) WholeTile<R, 4>(weights, width, vectors + v, count, out + v);
  for (; v + 2 <= count; v += 2) WholeTile<R, 2>(weights, width, vectors + v, count, out + v);
  for (; v < count; ++v) WholeTile<R, 1>(weights, width, vectors + v, count, out + v);
}

CACHEON_VECTOR_CLONES void Panel(const float* weights, std::int64_t rows, std::int64_t width,
                                 const float* const* vectors, std::int64_t count, double* out) {
  std::int64_t r = 0;
  for (; r + 2 <= rows; r += 2) {
    RowTiles<2>(weights + r * width, width, vectors, count, out + r * count);
  }
  for (; r < rows; ++r) RowTiles<1>(weights + r * width, width, vectors, count, out + r * count);
}

}  // namespace

void PanelProduct(const float* weights, std::int64_t rows, std::int64_t width,
                  std::span<const float* const> vectors, double* out) {
  Panel(weights, rows, width, vectors.data(), static_cast<std::int64_t>(vectors.size()), out);
}

}  // namespace cacheon::slots
