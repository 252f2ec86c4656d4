// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/view.h"

#include <algorithm>
#include <cstring>

#include "src/tensor/element_io.h"

namespace cacheon::tensor {
namespace {

template <typename T>
void CopyIntegers(const std::byte* source, std::int64_t count, std::int64_t* target) {
  for (std::int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, source + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    target[i] = static_cast<std::int64_t>(value);
  }
}

template <typename T>
void CopyIntegers(const std::int64_t* source, std::int64_t count, std::byte* target) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(source[i]);
    std::memcpy(target + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

void ReadIntegerBytes(DType dtype, const std::byte* source, std::span<std::int64_t> target) {
  const std::int64_t count = std::ssize(target);
  switch (dtype) {
    case DType::kInt64:
      return CopyIntegers<std::int64_t>(source, count, target.data());
    case DType::kInt32:
      return CopyIntegers<std::int32_t>(source, count, target.data());
    case DType::kUInt8:
      return CopyIntegers<std::uint8_t>(source, count, target.data());
    case DType::kBool:
      CopyIntegers<std::uint8_t>(source, count, target.data());
      std::ranges::transform(target, target.begin(), [](std::int64_t byte) { return byte != 0; });
      return;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kFloat8E4M3:
    case DType::kFloat4E2M1x2:
      break;
  }
  CACHEON_CHECK(false, "integers are read from tensors of integers");
}

void WriteIntegerBytes(DType dtype, std::span<const std::int64_t> source, std::byte* target) {
  const std::int64_t count = std::ssize(source);
  switch (dtype) {
    case DType::kInt64:
      return CopyIntegers<std::int64_t>(source.data(), count, target);
    case DType::kInt32:
      return CopyIntegers<std::int32_t>(source.data(), count, target);
    case DType::kUInt8:
      return CopyIntegers<std::uint8_t>(source.data(), count, target);
    case DType::kBool:
      return CopyIntegers<bool>(source.data(), count, target);
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kFloat8E4M3:
    case DType::kFloat4E2M1x2:
      break;
  }
  CACHEON_CHECK(false, "integers are written to tensors of integers");
}

}  // namespace

void ForEachRun(const Layout& layout,
                const std::function<void(std::int64_t element_offset, std::int64_t count,
                                         std::int64_t first_index)>& body) {
  const Result<std::int64_t> total = ElementCount(layout.shape);
  CACHEON_CHECK(total.has_value(), "a view has a layout that passed the checks");
  std::int64_t index = 0;
  detail::ElementWalk(layout).ForRange(0, *total, [&](const detail::Segment& segment) {
    const std::int64_t length = segment.stride == 1 ? segment.count : 1;
    for (std::int64_t i = 0; i < segment.count; i += length) {
      body(segment.offset + i * segment.stride, length, index);
      index += length;
    }
  });
}

void ReadFloats(const ConstTensorView& view, std::int64_t first, std::span<float> out) {
  detail::ReadElements(detail::ElementWalk(view.layout), view, first, std::ssize(out),
                       [&](const std::byte* source, std::int64_t count, std::int64_t done) {
                         WidenToFloat(view.dtype, source, out.subspan(done, count));
                       });
}

void WriteFloats(const TensorView& view, std::int64_t first, std::span<const float> values) {
  detail::WriteElements(detail::ElementWalk(view.layout), view, first, std::ssize(values),
                        [&](std::byte* target, std::int64_t count, std::int64_t done) {
                          NarrowFromFloat(view.dtype, values.subspan(done, count), target);
                        });
}

void ReadIntegers(const ConstTensorView& view, std::int64_t first, std::span<std::int64_t> out) {
  detail::ReadElements(detail::ElementWalk(view.layout), view, first, std::ssize(out),
                       [&](const std::byte* source, std::int64_t count, std::int64_t done) {
                         ReadIntegerBytes(view.dtype, source, out.subspan(done, count));
                       });
}

void WriteIntegers(const TensorView& view, std::int64_t first,
                   std::span<const std::int64_t> values) {
  detail::WriteElements(detail::ElementWalk(view.layout), view, first, std::ssize(values),
                        [&](std::byte* target, std::int64_t count, std::int64_t done) {
                          WriteIntegerBytes(view.dtype, values.subspan(done, count), target);
                        });
}

}  // namespace cacheon::tensor
