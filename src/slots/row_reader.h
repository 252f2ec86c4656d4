// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows (last dimension) of a tensor of any floating dtype and layout, as floats.

#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// Where the element at row-major index `row` of the leading dimensions begins, in elements.
std::int64_t RowOffset(const tensor::Layout& layout, std::int64_t row);

// Reads rows without copying where they are float32 and adjacent. The view's memory must outlive
// the reader; the reader may be used by several threads, each with a scratch of its own.
class RowReader {
 public:
  explicit RowReader(const tensor::ConstTensorView& view);

  std::int64_t rows() const { return rows_; }
  std::int64_t width() const { return width_; }

  // Row `row`; valid until the scratch is used again.
  std::span<const float> Read(std::int64_t row, std::vector<float>& scratch) const;

 private:
  tensor::ConstTensorView view_;
  std::int64_t rows_ = 1;
  std::int64_t width_ = 1;
  bool adjacent_ = true;
};

// All elements of a tensor as floats, row-major: in place where the tensor is dense float32, else a
// copy. The view's memory must outlive it.
class DenseFloats {
 public:
  explicit DenseFloats(const tensor::ConstTensorView& view);

  const float* data() const { return data_; }
  // Row `row` of `width` elements.
  const float* Row(std::int64_t row, std::int64_t width) const { return data_ + row * width; }

 private:
  std::vector<float> copy_;
  const float* data_;
};

}  // namespace cacheon::slots
