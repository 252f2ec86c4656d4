// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/tensor/float_reader.h"

#include "src/tensor/element_io.h"

namespace cacheon::tensor::detail {

FloatReader::FloatReader(const ConstTensorView& view)
    : view_(view),
      walk_(view.layout),
      in_place_(view.dtype == DType::kFloat32 && walk_.inner_stride() == 1 &&
                reinterpret_cast<std::uintptr_t>(view.data) % alignof(float) == 0) {}

const float* FloatReader::Read(std::int64_t first, std::int64_t count, float* buffer) const {
  if (in_place_ && count <= walk_.AdjacentFrom(first)) {
    return reinterpret_cast<const float*>(view_.data) + walk_.OffsetOf(first);
  }
  ReadElements(walk_, view_, first, count,
               [&](const std::byte* source, std::int64_t n, std::int64_t done) {
                 WidenToFloat(view_.dtype, source, {buffer + done, static_cast<std::size_t>(n)});
               });
  return buffer;
}

}  // namespace cacheon::tensor::detail
