// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVFP4: matrices of E2M1 numbers, two to a byte, with one E4M3 scale for 16 numbers of a row; the
// order in which such scales are stored for tensor cores; and the interleaved order of gate and up
// rows. Everything here works on ranges of rows and on one thread: callers split the rows.

#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::tensor {

inline constexpr std::int64_t kNvfp4Block = 16;  // numbers that share a scale
inline constexpr std::int64_t kNvfp4InterleaveRows = 64;

// Quantises rows of `columns` numbers: `values` [rows, columns] finite, `packed` [rows, columns /
// 2], the even element in the low nibble, `scales` [rows, columns / 16] in E4M3. With s =
// max(largest magnitude, 1e-12) / 6 in float32, a number is the nearest E2M1 to value / s (ties to
// the lower magnitude), where s is not rounded yet; then s is rounded to E4M3. `rows` follows from
// the spans, whose sizes must fit together (CACHEON_CHECK). Code: tensor.nvfp4_block when `columns`
// is no multiple of 16.
Status QuantizeNvfp4(std::span<const float> values, std::int64_t columns,
                     std::span<std::uint8_t> packed, std::span<std::uint8_t> scales);

// The numbers of such rows: E2M1 * E4M3, which float32 holds exactly, times `outer_scale` in
// float32. Sizes and code as above.
Status DequantizeNvfp4(std::span<const std::uint8_t> packed, std::span<const std::uint8_t> scales,
                       std::int64_t columns, float outer_scale, std::span<float> values);

// ------------------------------------------------------------------------- swizzled scales

// The shape that scales are padded to before they are swizzled: rows to 128, columns to 4.
struct SwizzledShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  std::int64_t count() const { return rows * columns; }
  friend bool operator==(const SwizzledShape&, const SwizzledShape&) = default;
};

// Codes: tensor.negative_dim, tensor.overflow.
Result<SwizzledShape> SwizzledScaleShape(std::int64_t rows, std::int64_t columns);

// Where the scale (row, column) stands in the padded matrix, which is stored as tiles of 128 x 4:
// ((r/128)*(columns/4) + c/4)*512 + (r%32)*16 + ((r%128)/32)*4 + c%4.
constexpr std::int64_t SwizzledScaleOffset(std::int64_t row, std::int64_t column,
                                           const SwizzledShape& shape) {
  const std::int64_t tile = row / 128 * (shape.columns / 4) + column / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column % 4;
}

// `linear` [rows, columns] to `swizzled`, which holds the padded shape; padding becomes 0.
void SwizzleScales(std::span<const std::uint8_t> linear, std::int64_t rows, std::int64_t columns,
                   std::span<std::uint8_t> swizzled);

// Back again; padding is not looked at.
void UnswizzleScales(std::span<const std::uint8_t> swizzled, std::int64_t rows,
                     std::int64_t columns, std::span<std::uint8_t> linear);

// ------------------------------------------------------------------------- interleaved W13

// For every stored row of the layout `up_gate_interleaved_64`, the row of the gate_up matrix
// [2 * intermediate, ...] that it holds: 64 up rows, then 64 gate rows, and so on. Code:
// tensor.nvfp4_interleave when `intermediate` is no positive multiple of 64.
Result<std::vector<std::int64_t>> InterleavedRowSources(std::int64_t intermediate);

}  // namespace cacheon::tensor
