// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Moves elements between a view of any layout and dense bytes: adjacent elements in place, others
// through a small buffer. What the bytes become is the caller's business.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cacheon/tensor/view.h"
#include "src/tensor/element_walk.h"

namespace cacheon::tensor::detail {

// Elements that are not adjacent are moved through a buffer of this many.
inline constexpr std::int64_t kGatherElements = 256;
inline constexpr std::size_t kLargestItem = 8;

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

inline void GatherItems(std::size_t item, const std::byte* source, std::int64_t stride,
                        std::int64_t count, std::byte* target) {
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

inline void ScatterItems(std::size_t item, const std::byte* source, std::int64_t stride,
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
void ForEachPiece(const Segment& segment, Visit visit) {
  const std::int64_t most = segment.stride == 1 ? segment.count : kGatherElements;
  for (std::int64_t done = 0; done < segment.count; done += most) {
    visit(segment.offset + done * segment.stride, std::min(most, segment.count - done));
  }
}

// Calls convert(bytes, count, done) for dense bytes of the elements, `done` from the first one.
template <typename Convert>
void ReadElements(const ElementWalk& walk, const ConstTensorView& view, std::int64_t first,
                  std::int64_t total, Convert convert) {
  const std::size_t item = ItemSize(view.dtype);
  std::array<std::byte, kGatherElements * kLargestItem> buffer;
  std::int64_t done = 0;
  walk.ForRange(first, total, [&](const Segment& segment) {
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

// Calls convert(bytes, count, done) to fill dense bytes of the elements, which are then stored.
template <typename Convert>
void WriteElements(const ElementWalk& walk, const TensorView& view, std::int64_t first,
                   std::int64_t total, Convert convert) {
  const std::size_t item = ItemSize(view.dtype);
  std::array<std::byte, kGatherElements * kLargestItem> buffer;
  std::int64_t done = 0;
  walk.ForRange(first, total, [&](const Segment& segment) {
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

}  // namespace cacheon::tensor::detail
