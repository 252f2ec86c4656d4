// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/input_values.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cacheon/core/result.h"
#include "cacheon/tensor/dtype.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kChunk = 4096;

void WriteInts(DType dtype, std::span<const std::int64_t> values, std::byte* target) {
  for (const std::int64_t value : values) {
    switch (tensor::ItemSize(dtype)) {
      case 1: {
        *target = static_cast<std::byte>(value);
        target += 1;
        break;
      }
      case 4: {
        const auto narrow = static_cast<std::int32_t>(value);
        std::memcpy(target, &narrow, sizeof narrow);
        target += sizeof narrow;
        break;
      }
      default: {
        std::memcpy(target, &value, sizeof value);
        target += sizeof value;
        break;
      }
    }
  }
}

}  // namespace

void WriteInputValues(const PlannedTensor& input, std::int64_t first, std::int64_t count,
                      std::byte* target) {
  const auto item_size = static_cast<std::int64_t>(tensor::ItemSize(input.dtype));
  const auto* floats = std::get_if<FloatSource>(&input.source);
  const auto* ints = std::get_if<IntSource>(&input.source);
  CACHEON_CHECK(floats != nullptr || ints != nullptr, "only inputs have values");
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const auto size = static_cast<std::size_t>(std::min(kChunk, count - done));
    std::byte* chunk = target + done * item_size;
    if (floats != nullptr) {
      std::array<float, kChunk> values;
      const std::span<float> part = std::span(values).first(size);
      (*floats)(first + done, part);
      tensor::NarrowFromFloat(input.dtype, part, chunk);
    } else {
      std::array<std::int64_t, kChunk> values;
      const std::span<std::int64_t> part = std::span(values).first(size);
      (*ints)(first + done, part);
      WriteInts(input.dtype, part, chunk);
    }
  }
}

}  // namespace cacheon::slots
