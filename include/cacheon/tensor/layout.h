// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes and strides, both in elements, row-major, with checked arithmetic: a product that
// overflows int64 is an error, never a wrap.

#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::tensor {

struct Layout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // as many as the shape has dimensions

  friend bool operator==(const Layout&, const Layout&) = default;
};

// Codes: tensor.negative_dim, tensor.overflow.
Result<std::int64_t> ElementCount(std::span<const std::int64_t> shape);

// Row-major without gaps; dimensions of 0 count as 1 in the strides.
Result<Layout> DenseLayout(std::vector<std::int64_t> shape);

// The representative strided layout: rank 1 has stride 1 + pad, higher ranks have last stride 1 and
// second-last max(1, last) + pad, outer strides are products upward; pad = max(1, padding).
// (3, 5) with padding 3 has strides (8, 1).
Result<Layout> PaddedLayout(std::vector<std::int64_t> shape, std::int64_t padding);

// Elements from the first to the last that the view can touch: 0 when a dimension is 0, 1 for a
// scalar, else 1 + sum((d - 1) * stride). Strides must not be negative (tensor.negative_stride).
Result<std::int64_t> SpanElements(const Layout& layout);

// True when the elements stand row-major without gaps (dimensions of 0 or 1 have no say).
bool IsDense(const Layout& layout);

// True when no two elements share a place and rows nest (the rule for strided outputs).
bool IsNestedRowMajor(const Layout& layout);

}  // namespace cacheon::tensor
