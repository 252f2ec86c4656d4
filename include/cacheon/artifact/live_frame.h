// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The live values of one call, by binding index: what expressions and parameters read. Plain data
// without heap memory, so that a frame can be refilled for every call.

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "cacheon/artifact/limits.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

struct LiveTensor {
  std::uint64_t address = 0;  // of the first element; 0 is admitted
  std::int64_t element_bytes = 1;
  std::int64_t storage_offset = 0;  // elements
  int rank = 0;
  std::array<std::int64_t, kMaxTensorRank> shape{};
  std::array<std::int64_t, kMaxTensorRank> stride{};  // elements, may be negative

  std::span<const std::int64_t> dims() const {
    return {shape.data(), static_cast<std::size_t>(rank)};
  }
};

// A process group; opaque here, resolvers know what it stands for.
struct LiveGroup {
  std::uint64_t token = 0;
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

// The value of a binding that no expression or parameter can read.
struct UnreadableValue {};

// Integers above int64 (addresses, u64 scalars) use the unsigned alternative, all others the signed
// one.
using LiveValue =
    std::variant<LiveTensor, bool, std::int64_t, std::uint64_t, double, LiveGroup, UnreadableValue>;

using LiveFrame = std::span<const LiveValue>;

// The facts of one tensor. Rank 0 is admitted here and refused where a plan uses the tensor. Codes
// tf.shape (rank above 16, a negative dim), tf.stride (another number of strides than dims),
// tf.elem (element size outside 1..32), tf.offset (negative).
Result<LiveTensor> MakeLiveTensor(std::uint64_t address, std::span<const std::int64_t> shape,
                                  std::span<const std::int64_t> stride, std::int64_t element_bytes,
                                  std::int64_t storage_offset);

// The strides of a contiguous tensor, in elements. Products that leave int64 saturate.
std::array<std::int64_t, kMaxTensorRank> ContiguousStride(std::span<const std::int64_t> shape);

// The tensor of binding `index`. Codes ev.binding_missing, tf.inspect (no tensor), tf.shape (rank
// 0).
Result<const LiveTensor*> TensorAt(LiveFrame frame, std::uint8_t index);

}  // namespace cacheon::artifact
