// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/nvfp4.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cacheon/core/vector_clones.h"
#include "cacheon/tensor/layout.h"
#include "src/tensor/narrow_formats.h"

namespace cacheon::tensor {
namespace {

constexpr auto kBlock = static_cast<std::size_t>(kNvfp4Block);
constexpr float kLargestE2M1 = 6.0F;
constexpr float kSmallestAmax = 1e-12F;
constexpr std::int64_t kTileRows = 128;
constexpr std::int64_t kTileColumns = 4;

// Blocks are taken some at a time, and each step is one flat loop over all their numbers: that is
// the form that compilers vectorise.
constexpr std::size_t kTileBlocks = 64;

struct Tile {
  alignas(64) std::array<float, kTileBlocks * kBlock> numbers;
  alignas(64) std::array<float, kTileBlocks * kBlock / 2> halves;
  alignas(64) std::array<std::uint8_t, kTileBlocks * kBlock> codes;
};

inline void ReduceNeighbours(const float* __restrict from, std::size_t count,
                             float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float low = from[2 * i];
    const float high = from[2 * i + 1];
    to[i] = low < high ? high : low;
  }
}

// numbers[block] becomes max(largest magnitude, 1e-12) / 6.
inline void ReduceToScales(const float* values, std::size_t blocks, Tile& tile) {
  static_assert(kBlock == 16, "four times to the half");
  float* numbers = tile.numbers.data();
  float* other = tile.halves.data();
  for (std::size_t i = 0; i < blocks * kBlock; ++i) {
    numbers[i] = detail::FromBits(detail::BitsOf(values[i]) & detail::kMagnitudeMask);
  }
  ReduceNeighbours(numbers, blocks * 8, other);
  ReduceNeighbours(other, blocks * 4, numbers);
  ReduceNeighbours(numbers, blocks * 2, other);
  ReduceNeighbours(other, blocks, numbers);
  for (std::size_t i = 0; i < blocks; ++i) {
    numbers[i] = (numbers[i] < kSmallestAmax ? kSmallestAmax : numbers[i]) / kLargestE2M1;
  }
}

// numbers[block] is repeated for every number of the block; from the end, as it is in place.
inline void RepeatScales(std::size_t blocks, float* numbers) {
  for (std::size_t block = blocks; block-- > 0;) {
    const float scale = numbers[block];
    for (std::size_t i = 0; i < kBlock; ++i) numbers[block * kBlock + i] = scale;
  }
}

CACHEON_VECTOR_CLONES void QuantizeTile(const float* values, std::size_t blocks,
                                        std::uint8_t* packed, std::uint8_t* scales, Tile& tile) {
  float* numbers = tile.numbers.data();
  std::uint8_t* codes = tile.codes.data();
  ReduceToScales(values, blocks, tile);
  for (std::size_t i = 0; i < blocks; ++i) scales[i] = detail::NarrowFloat8E4M3(numbers[i]);
  RepeatScales(blocks, numbers);
  for (std::size_t i = 0; i < blocks * kBlock; ++i) {
    codes[i] = detail::NarrowFloat4E2M1(values[i] / numbers[i]);
  }
  for (std::size_t i = 0; i < blocks * kBlock / 2; ++i) {
    packed[i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4U);
  }
}

CACHEON_VECTOR_CLONES void DequantizeTile(const std::uint8_t* packed, const std::uint8_t* scales,
                                          std::size_t blocks, float outer, float* values,
                                          Tile& tile) {
  float* numbers = tile.numbers.data();
  std::uint8_t* codes = tile.codes.data();
  for (std::size_t i = 0; i < blocks; ++i) numbers[i] = detail::WidenFloat8E4M3(scales[i]);
  RepeatScales(blocks, numbers);
  for (std::size_t i = 0; i < blocks * kBlock / 2; ++i) {
    codes[2 * i] = packed[i] & 15U;
    codes[2 * i + 1] = packed[i] >> 4U;
  }
  for (std::size_t i = 0; i < blocks * kBlock; ++i) {
    values[i] = detail::WidenFloat4E2M1(codes[i]) * numbers[i] * outer;
  }
}

// Calls convert(first block, blocks, tile) until all are done.
template <typename Convert>
void ForEachTile(std::size_t blocks, Convert convert) {
  Tile tile;
  for (std::size_t first = 0; first < blocks; first += kTileBlocks) {
    convert(first, std::min(kTileBlocks, blocks - first), tile);
  }
}

// Blocks of rows of `columns`; the sizes must be those of `values` numbers.
Result<std::size_t> CountBlocks(std::size_t values, std::int64_t columns, std::size_t packed,
                                std::size_t scales) {
  if (columns <= 0 || columns % kNvfp4Block != 0) {
    return Fail(
        "tensor.nvfp4_block",
        fmt::format("rows of {} numbers do not divide into blocks of {}", columns, kNvfp4Block));
  }
  CACHEON_CHECK(values % static_cast<std::size_t>(columns) == 0 && packed * 2 == values &&
                    scales * kBlock == values,
                "numbers, packed bytes and scales are of the same rows");
  return scales;
}

// Calls move(linear index, swizzled index) for every scale.
template <typename Move>
void ForEachScale(std::int64_t rows, std::int64_t columns, std::size_t linear, std::size_t swizzled,
                  Move move) {
  const SwizzledShape shape{.rows = (rows + kTileRows - 1) / kTileRows * kTileRows,
                            .columns = (columns + kTileColumns - 1) / kTileColumns * kTileColumns};
  CACHEON_CHECK(static_cast<std::int64_t>(linear) == rows * columns &&
                    static_cast<std::int64_t>(swizzled) == shape.count(),
                "the spans hold the scales of these rows");
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      move(static_cast<std::size_t>(row * columns + column),
           static_cast<std::size_t>(SwizzledScaleOffset(row, column, shape)));
    }
  }
}

Result<std::int64_t> RoundUp(std::int64_t value, std::int64_t multiple) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(value, multiple - 1, &sum)) {
    return Fail("tensor.overflow",
                fmt::format("{} does not round up to a multiple of {}", value, multiple));
  }
  return sum / multiple * multiple;
}

}  // namespace

Status QuantizeNvfp4(std::span<const float> values, std::int64_t columns,
                     std::span<std::uint8_t> packed, std::span<std::uint8_t> scales) {
  ASSIGN_OR_RETURN(const std::size_t blocks,
                   CountBlocks(values.size(), columns, packed.size(), scales.size()));
  ForEachTile(blocks, [&](std::size_t first, std::size_t count, Tile& tile) {
    QuantizeTile(values.data() + first * kBlock, count, packed.data() + first * kBlock / 2,
                 scales.data() + first, tile);
  });
  return {};
}

Status DequantizeNvfp4(std::span<const std::uint8_t> packed, std::span<const std::uint8_t> scales,
                       std::int64_t columns, float outer_scale, std::span<float> values) {
  ASSIGN_OR_RETURN(const std::size_t blocks,
                   CountBlocks(values.size(), columns, packed.size(), scales.size()));
  ForEachTile(blocks, [&](std::size_t first, std::size_t count, Tile& tile) {
    DequantizeTile(packed.data() + first * kBlock / 2, scales.data() + first, count, outer_scale,
                   values.data() + first * kBlock, tile);
  });
  return {};
}

Result<SwizzledShape> SwizzledScaleShape(std::int64_t rows, std::int64_t columns) {
  RETURN_IF_ERROR(ElementCount(std::array{rows, columns}));
  SwizzledShape shape;
  ASSIGN_OR_RETURN(shape.rows, RoundUp(rows, kTileRows));
  ASSIGN_OR_RETURN(shape.columns, RoundUp(columns, kTileColumns));
  RETURN_IF_ERROR(ElementCount(std::array{shape.rows, shape.columns}));
  return shape;
}

void SwizzleScales(std::span<const std::uint8_t> linear, std::int64_t rows, std::int64_t columns,
                   std::span<std::uint8_t> swizzled) {
  std::ranges::fill(swizzled, std::uint8_t{0});
  ForEachScale(rows, columns, linear.size(), swizzled.size(),
               [&](std::size_t from, std::size_t to) { swizzled[to] = linear[from]; });
}

void UnswizzleScales(std::span<const std::uint8_t> swizzled, std::int64_t rows,
                     std::int64_t columns, std::span<std::uint8_t> linear) {
  ForEachScale(rows, columns, linear.size(), swizzled.size(),
               [&](std::size_t to, std::size_t from) { linear[to] = swizzled[from]; });
}

Result<std::vector<std::int64_t>> InterleavedRowSources(std::int64_t intermediate) {
  if (intermediate <= 0 || intermediate % kNvfp4InterleaveRows != 0) {
    return Fail("tensor.nvfp4_interleave",
                fmt::format("an intermediate size of {} does not divide into groups of {} rows",
                            intermediate, kNvfp4InterleaveRows));
  }
  std::vector<std::int64_t> sources;
  sources.reserve(static_cast<std::size_t>(2 * intermediate));
  for (std::int64_t group = 0; group < intermediate; group += kNvfp4InterleaveRows) {
    for (const std::int64_t half : {intermediate, std::int64_t{0}}) {
      for (std::int64_t i = 0; i < kNvfp4InterleaveRows; ++i) {
        sources.push_back(half + group + i);
      }
    }
  }
  return sources;
}

}  // namespace cacheon::tensor
