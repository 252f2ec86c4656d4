// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cacheon::tensor {
namespace {

std::unexpected<Error> Overflow(std::span<const std::int64_t> shape) {
  return Fail("tensor.overflow",
              fmt::format("a tensor of shape [{}] has more elements than int64 can count",
                          fmt::join(shape, ", ")));
}

Status CheckDims(std::span<const std::int64_t> shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      return Fail("tensor.negative_dim", fmt::format("dimension {} is {}", i, shape[i]),
                  {.key_path = fmt::format("shape[{}]", i)});
    }
  }
  return {};
}

// Fills strides[0 .. count) as products upward from strides[count].
Status MultiplyUpward(Layout& layout, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(1, layout.shape[i + 1]);
    if (__builtin_mul_overflow(layout.strides[i + 1], extent, &layout.strides[i])) {
      return Overflow(layout.shape);
    }
  }
  return {};
}

}  // namespace

Result<std::int64_t> ElementCount(std::span<const std::int64_t> shape) {
  RETURN_IF_ERROR(CheckDims(shape));
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return Overflow(shape);
  }
  return count;
}

Result<Layout> DenseLayout(std::vector<std::int64_t> shape) {
  RETURN_IF_ERROR(CheckDims(shape));
  Layout layout{.shape = std::move(shape), .strides = {}};
  const std::size_t rank = layout.shape.size();
  layout.strides.assign(rank, 1);
  if (rank > 1) RETURN_IF_ERROR(MultiplyUpward(layout, rank - 1));
  RETURN_IF_ERROR(SpanElements(layout));
  return layout;
}

Result<Layout> PaddedLayout(std::vector<std::int64_t> shape, std::int64_t padding) {
  RETURN_IF_ERROR(CheckDims(shape));
  Layout layout{.shape = std::move(shape), .strides = {}};
  const std::size_t rank = layout.shape.size();
  if (rank == 0) return layout;
  const std::int64_t pad = std::max<std::int64_t>(1, padding);
  layout.strides.assign(rank, 1);
  const std::size_t padded = rank == 1 ? 0 : rank - 2;
  const std::int64_t row = rank == 1 ? 1 : std::max<std::int64_t>(1, layout.shape.back());
  if (__builtin_add_overflow(row, pad, &layout.strides[padded])) return Overflow(layout.shape);
  RETURN_IF_ERROR(MultiplyUpward(layout, padded));
  RETURN_IF_ERROR(SpanElements(layout));
  return layout;
}

Result<std::int64_t> SpanElements(const Layout& layout) {
  CACHEON_CHECK(layout.shape.size() == layout.strides.size(),
                "a layout has a stride per dimension");
  RETURN_IF_ERROR(CheckDims(layout.shape));
  for (std::size_t i = 0; i < layout.strides.size(); ++i) {
    if (layout.strides[i] < 0) {
      return Fail("tensor.negative_stride",
                  fmt::format("the stride of dimension {} is {}", i, layout.strides[i]),
                  {.key_path = fmt::format("strides[{}]", i)});
    }
  }
  ASSIGN_OR_RETURN(const std::int64_t count, ElementCount(layout.shape));
  if (count == 0) return 0;
  std::int64_t span = 1;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(layout.shape[i] - 1, layout.strides[i], &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      return Overflow(layout.shape);
    }
  }
  return span;
}

bool IsDense(const Layout& layout) {
  if (std::ranges::find(layout.shape, 0) != layout.shape.end()) return true;
  std::int64_t expected = 1;
  for (std::size_t i = layout.shape.size(); i-- > 0;) {
    if (layout.shape[i] == 1) continue;
    if (layout.strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, layout.shape[i], &expected)) return false;
  }
  return true;
}

bool IsNestedRowMajor(const Layout& layout) {
  const std::size_t rank = layout.shape.size();
  if (rank >= 2 && layout.shape.back() > 1 && layout.strides.back() != 1) return false;
  std::int64_t span = 1;
  for (std::size_t i = rank; i-- > 0;) {
    if (layout.shape[i] <= 1) continue;
    if (layout.strides[i] < span) return false;
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(layout.shape[i] - 1, layout.strides[i], &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      return false;
    }
  }
  return true;
}

}  // namespace cacheon::tensor
