// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/row_reader.h"

#include <cstddef>

#include "cacheon/core/parallel.h"

namespace cacheon::slots {

std::int64_t RowOffset(const tensor::Layout& layout, std::int64_t row) {
  std::int64_t offset = 0;
  for (std::size_t axis = layout.shape.size(); axis-- > 1;) {
    const std::int64_t extent = layout.shape[axis - 1];
    offset += row % extent * layout.strides[axis - 1];
    row /= extent;
  }
  return offset;
}

RowReader::RowReader(const tensor::ConstTensorView& view) : view_(view) {
  const auto& shape = view.layout.shape;
  if (shape.empty()) return;
  width_ = shape.back();
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows_ *= shape[axis];
  adjacent_ = width_ <= 1 || view.layout.strides.back() == 1;
}

std::span<const float> RowReader::Read(std::int64_t row, std::vector<float>& scratch) const {
  const auto width = static_cast<std::size_t>(width_);
  const std::byte* begin =
      view_.data +
      RowOffset(view_.layout, row) * static_cast<std::int64_t>(tensor::ItemSize(view_.dtype));
  if (adjacent_ && view_.dtype == tensor::DType::kFloat32) {
    return {reinterpret_cast<const float*>(begin), width};
  }
  scratch.resize(width);
  if (adjacent_) {
    tensor::WidenToFloat(view_.dtype, begin, scratch);
  } else {
    tensor::ReadFloats(view_, row * width_, scratch);
  }
  return scratch;
}

DenseFloats::DenseFloats(const tensor::ConstTensorView& view)
    : data_(reinterpret_cast<const float*>(view.data)) {
  if (view.dtype == tensor::DType::kFloat32 && tensor::IsDense(view.layout)) return;
  std::int64_t count = 1;
  for (const std::int64_t extent : view.shape()) count *= extent;
  copy_.resize(static_cast<std::size_t>(count));
  constexpr std::int64_t kElementsPerBlock = std::int64_t{1} << 16;
  ParallelFor(count, kElementsPerBlock, [&](std::int64_t begin, std::int64_t end) {
    tensor::ReadFloats(view, begin,
                       std::span(copy_).subspan(static_cast<std::size_t>(begin),
                                                static_cast<std::size_t>(end - begin)));
  });
  data_ = copy_.data();
}

}  // namespace cacheon::slots
