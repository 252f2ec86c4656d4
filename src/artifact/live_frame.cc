// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/live_frame.h"

#include <fmt/format.h>

#include <algorithm>

namespace cacheon::artifact {

Result<LiveTensor> MakeLiveTensor(std::uint64_t address, std::span<const std::int64_t> shape,
                                  std::span<const std::int64_t> stride, std::int64_t element_bytes,
                                  std::int64_t storage_offset) {
  constexpr std::int64_t kMaxElementBytes = 32;
  if (shape.size() > kMaxTensorRank) {
    return Fail("tf.shape",
                fmt::format("a tensor has rank at most {}, not {}", kMaxTensorRank, shape.size()));
  }
  if (std::ranges::any_of(shape, [](std::int64_t dim) { return dim < 0; })) {
    return Fail("tf.shape", "a tensor has a negative dim");
  }
  if (stride.size() != shape.size()) {
    return Fail("tf.stride",
                fmt::format("a tensor of rank {} has {} strides", shape.size(), stride.size()));
  }
  if (element_bytes < 1 || element_bytes > kMaxElementBytes) {
    return Fail("tf.elem",
                fmt::format("elements have 1..{} bytes, not {}", kMaxElementBytes, element_bytes));
  }
  if (storage_offset < 0) {
    return Fail("tf.offset", fmt::format("the storage offset is {}", storage_offset));
  }
  LiveTensor tensor{.address = address,
                    .element_bytes = element_bytes,
                    .storage_offset = storage_offset,
                    .rank = static_cast<int>(shape.size())};
  std::ranges::copy(shape, tensor.shape.begin());
  std::ranges::copy(stride, tensor.stride.begin());
  return tensor;
}

std::array<std::int64_t, kMaxTensorRank> ContiguousStride(std::span<const std::int64_t> shape) {
  std::array<std::int64_t, kMaxTensorRank> stride{};
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    stride[i] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[i], 1), &step)) step = INT64_MAX;
  }
  return stride;
}

Result<const LiveTensor*> TensorAt(LiveFrame frame, std::uint8_t index) {
  if (index >= frame.size()) {
    return Fail("ev.binding_missing", fmt::format("the frame has no binding {}", index));
  }
  const auto* tensor = std::get_if<LiveTensor>(&frame[index]);
  if (tensor == nullptr) {
    return Fail("tf.inspect", fmt::format("binding {} holds no tensor", index));
  }
  if (tensor->rank < 1) {
    return Fail("tf.shape", fmt::format("the tensor of binding {} has rank 0", index));
  }
  return tensor;
}

}  // namespace cacheon::artifact
