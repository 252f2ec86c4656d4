// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/panel_product.h"

#include <algorithm>
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

using WideVector = double __attribute__((vector_size(kLanes * sizeof(double))));

#define CACHEON_ALWAYS_INLINE inline __attribute__((always_inline))

CACHEON_ALWAYS_INLINE double SumOfLanes(WideVector& lanes) {
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

CACHEON_ALWAYS_INLINE Vector Load(const float* source) {
  return *reinterpret_cast<const UnalignedVector*>(source);
}

// The last elements of a row, zeros after them.
CACHEON_ALWAYS_INLINE Vector LoadTail(const float* source, std::int64_t count) {
  Vector tail = {};
  std::memcpy(&tail, source, static_cast<std::size_t>(count) * sizeof(float));
  return tail;
}

// Adds the products of R weight rows and V vectors over the elements [begin, end) to `totals`. The
// loops over R and V are unrolled, so that the sums stay in registers. What stands `ahead` elements
// further, the next tile's rows, is fetched meanwhile: hardware stops at the end of a page.
template <int R, int V>
CACHEON_ALWAYS_INLINE void Strip(const float* const* weights, const float* const* vectors,
                                 std::int64_t begin, std::int64_t end, std::int64_t ahead,
                                 WideVector (&totals)[R][V]) {
  Vector sums[R][V] = {};
  const auto add = [&](auto load, std::int64_t at) __attribute__((always_inline)) {
    Vector w[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      w[r] = load(weights[r] + at);
      __builtin_prefetch(weights[r] + at + ahead);
    }
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Vector x = load(vectors[v] + at);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r][v] += w[r] * x;
    }
  };
  std::int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    add([](const float* source) __attribute__((always_inline)) { return Load(source); }, i);
  }
  if (i < end) {
    const std::int64_t rest = end - i;
    add([rest](const float* source)
            __attribute__((always_inline)) { return LoadTail(source, rest); },
        i);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) totals[r][v] += __builtin_convertvector(sums[r][v], WideVector);
  }
}

template <int R, int V>
CACHEON_ALWAYS_INLINE void WholeTile(const float* weights, std::int64_t width,
                                     const float* const* vectors, std::int64_t stride,
                                     double* out) {
  const float* rows[R];
  for (int r = 0; r < R; ++r) rows[r] = weights + r * width;
  WideVector totals[R][V] = {};
  for (std::int64_t begin = 0; begin < width; begin += kStrip) {
    Strip<R, V>(rows, vectors, begin, std::min(width, begin + kStrip), R * width, totals);
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) out[r * stride + v] = SumOfLanes(totals[r][v]);
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
