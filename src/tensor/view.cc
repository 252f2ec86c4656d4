// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/view.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/tensor/element_walk.h"

namespace cacheon::tensor {
namespace {

// Elements that are not adjacent are moved through a buffer of this many.
constexpr std::int64_t kGatherElements = 256;
constexpr std::size_t kLargestItem = 8;

template <std::size_t kSize>
void Gather(const std::byte* source, std::int64_t stride, std::int64_t count, std::byte* target) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(target + i * kSize, source + i * stride * static_cast<std::int64_t>(kSize), kSize);
  }
}

template <std::size_t kSize>
void Scatter(const std::byte* source, std::int64_t stride, std::int64_t count, std::byte* target) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(target + i * stride * static_cast<std::int64_t>(kSize), source + i * kSize, kSize);
  }
}

void GatherItems(std::size_t item, const std::byte* source, std::int64_t stride, std::int64_t count,
                 std::byte* target) {
  switch (item) {
    case 1:
      return Gather<1>(source, stride, count, target);
    case 2:
      return Gather<2>(source, stride, count, target);
    case 4:
      return Gather<4>(source, stride, count, target);
    default:
      return Gather<kLargestItem>(source, stride, count, target);
  }
}

void ScatterItems(std::size_t item, const std::byte* source, std::int64_t stride,
                  std::int64_t count, std::byte* target) {
  switch (item) {
    case 1:
      return Scatter<1>(source, stride, count, target);
    case 2:
      return Scatter<2>(source, stride, count, target);
    case 4:
      return Scatter<4>(source, stride, count, target);
    default:
      return Scatter<kLargestItem>(source, stride, count, target);
  }
}

// Cuts a segment of separate elements into pieces that fit the gather buffer; a segment of adjacent
// elements stays whole.
template <typename Visit>
void ForEachPiece(const detail::Segment& segment, Visit visit) {
  const std::int64_t most = segment.stride == 1 ? segment.count : kGatherElements;
  for (std::int64_t done = 0; done < segment.count; done += most) {
    visit(segment.offset + done * segment.stride, std::min(most, segment.count - done));
  }
}

// Calls convert(bytes, count, done) for dense bytes of the elements, `done` from the first one.
template <typename Convert>
void ReadElements(const ConstTensorView& view, std::int64_t first, std::int64_t total,
                  Convert convert) {
  const std::size_t item = ItemSize(view.dtype);
  const detail::ElementWalk walk(view.layout);
  std::array<std::byte, kGatherElements * kLargestItem> buffer;
  std::int64_t done = 0;
  walk.ForRange(first, total, [&](const detail::Segment& segment) {
    ForEachPiece(segment, [&](std::int64_t offset, std::int64_t count) {
      const std::byte* source = view.data + offset * static_cast<std::int64_t>(item);
      if (segment.stride != 1) {
        GatherItems(item, source, segment.stride, count, buffer.data());
        source = buffer.data();
      }
      convert(source, count, done);
      done += count;
    });
  });
}

template <typename Convert>
void WriteElements(const TensorView& view, std::int64_t first, std::int64_t total,
                   Convert convert) {
  const std::size_t item = ItemSize(view.dtype);
  const detail::ElementWalk walk(view.layout);
  std::array<std::byte, kGatherElements * kLargestItem> buffer;
  std::int64_t done = 0;
  walk.ForRange(first, total, [&](const detail::Segment& segment) {
    ForEachPiece(segment, [&](std::int64_t offset, std::int64_t count) {
      std::byte* target = view.data + offset * static_cast<std::int64_t>(item);
      convert(segment.stride == 1 ? target : buffer.data(), count, done);
      if (segment.stride != 1) {
        ScatterItems(item, buffer.data(), segment.stride, count, target);
      }
      done += count;
    });
  });
}

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
    default:
      CACHEON_CHECK(false, "integers are read from tensors of integers");
  }
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
    default:
      CACHEON_CHECK(false, "integers are written to tensors of integers");
  }
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
  ReadElements(view, first, std::ssize(out),
               [&](const std::byte* source, std::int64_t count, std::int64_t done) {
                 WidenToFloat(view.dtype, source, out.subspan(done, count));
               });
}

void WriteFloats(const TensorView& view, std::int64_t first, std::span<const float> values) {
  WriteElements(view, first, std::ssize(values),
                [&](std::byte* target, std::int64_t count, std::int64_t done) {
                  NarrowFromFloat(view.dtype, values.subspan(done, count), target);
                });
}

void ReadIntegers(const ConstTensorView& view, std::int64_t first, std::span<std::int64_t> out) {
  ReadElements(view, first, std::ssize(out),
               [&](const std::byte* source, std::int64_t count, std::int64_t done) {
                 ReadIntegerBytes(view.dtype, source, out.subspan(done, count));
               });
}

void WriteIntegers(const TensorView& view, std::int64_t first,
                   std::span<const std::int64_t> values) {
  WriteElements(view, first, std::ssize(values),
                [&](std::byte* target, std::int64_t count, std::int64_t done) {
                  WriteIntegerBytes(view.dtype, values.subspan(done, count), target);
                });
}

}  // namespace cacheon::tensor
