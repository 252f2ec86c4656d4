// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads ranges of a view as float32, without a copy where the view holds adjacent float32 already.
// The layout is analysed once; several threads may read through one reader.

#include <cstddef>
#include <cstdint>

#include "cacheon/tensor/view.h"
#include "src/tensor/element_walk.h"

namespace cacheon::tensor::detail {

class FloatReader {
 public:
  // The view must outlive the reader.
  explicit FloatReader(const ConstTensorView& view);

  // The row-major elements [first, first + count): a pointer into the view, or `buffer` (room for
  // `count`) filled with them.
  const float* Read(std::int64_t first, std::int64_t count, float* buffer) const;

 private:
  const ConstTensorView& view_;
  ElementWalk walk_;
  bool in_place_;  // aligned float32 with adjacent elements in each segment
};

}  // namespace cacheon::tensor::detail
