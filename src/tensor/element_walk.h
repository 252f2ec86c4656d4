// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Visits the elements of a layout in row-major order as segments of equal stride. Neighbouring
// dimensions that form one longer dimension are merged first, so a dense layout is one segment and
// a padded matrix one segment per row.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cacheon/tensor/layout.h"

namespace cacheon::tensor::detail {

// `count` elements, the first `offset` elements from the view's data, `stride` elements apart.
struct Segment {
  std::int64_t offset;
  std::int64_t stride;
  std::int64_t count;
};

class ElementWalk {
 public:
  // The element count must fit int64 (ElementCount).
  explicit ElementWalk(const Layout& layout) {
    for (std::size_t i = 0; i < layout.shape.size(); ++i) {
      const Dim dim{.extent = layout.shape[i], .stride = layout.strides[i]};
      if (dim.extent == 1) continue;
      if (!outer_.empty() && outer_.back().stride == dim.extent * dim.stride) {
        outer_.back() = {.extent = outer_.back().extent * dim.extent, .stride = dim.stride};
      } else {
        outer_.push_back(dim);
      }
    }
    if (outer_.empty()) return;  // one element
    inner_ = outer_.back();
    outer_.pop_back();
  }

  std::int64_t inner_stride() const { return inner_.stride; }

  // How many elements of equal stride there are from this one on. The tensor must not be empty.
  std::int64_t AdjacentFrom(std::int64_t index) const {
    return inner_.extent - index % inner_.extent;
  }

  // Where the element stands, in elements from the view's data. The tensor must not be empty.
  std::int64_t OffsetOf(std::int64_t index) const {
    return RowOffset(index / inner_.extent) + index % inner_.extent * inner_.stride;
  }

  // Calls visit(Segment) for the elements [first, first + count) of the row-major order.
  template <typename Visit>
  void ForRange(std::int64_t first, std::int64_t count, Visit visit) const {
    if (count <= 0) return;
    std::int64_t row = first / inner_.extent;
    std::int64_t column = first % inner_.extent;
    while (count > 0) {
      const std::int64_t length = std::min(count, inner_.extent - column);
      visit(Segment{.offset = RowOffset(row) + column * inner_.stride,
                    .stride = inner_.stride,
                    .count = length});
      count -= length;
      ++row;
      column = 0;
    }
  }

 private:
  struct Dim {
    std::int64_t extent;
    std::int64_t stride;
  };

  std::int64_t RowOffset(std::int64_t row) const {
    std::int64_t offset = 0;
    for (std::size_t i = outer_.size(); i-- > 0;) {
      offset += row % outer_[i].extent * outer_[i].stride;
      row /= outer_[i].extent;
    }
    return offset;
  }

  std::vector<Dim> outer_;
  Dim inner_{.extent = 1, .stride = 1};
};

}  // namespace cacheon::tensor::detail
