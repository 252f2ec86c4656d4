// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/pattern.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/verify/first_error.h"

namespace cacheon::verify {
namespace {

using tensor::DType;

// How random bits become elements: kept bits, then set bits. 64 bits hold one or more elements.
struct Mask {
  std::uint64_t keep;
  std::uint64_t set;
};

constexpr Mask Twice(std::uint64_t keep, std::uint64_t set) {
  return {keep << 32U | keep, set << 32U | set};
}

// NaN: exponent all ones, quiet bit set, sign and payload random. Finite: sign and mantissa random,
// exponent in the four binades below 2, where results of kernels usually lie.
Mask MaskFor(PatternKind kind, DType dtype) {
  const bool nan = kind == PatternKind::kNan;
  switch (dtype) {
    case DType::kFloat64:
      return nan ? Mask{0x8007FFFFFFFFFFFF, 0x7FF8000000000000}
                 : Mask{0x803FFFFFFFFFFFFF, 0x3FC0000000000000};
    case DType::kFloat32:
      return nan ? Twice(0x803FFFFF, 0x7FC00000) : Twice(0x81FFFFFF, 0x3E000000);
    case DType::kBFloat16:
      return nan ? Twice(0x803F803F, 0x7FC07FC0) : Twice(0x81FF81FF, 0x3E003E00);
    case DType::kFloat16:
      return nan ? Twice(0x81FF81FF, 0x7E007E00) : Twice(0x8FFF8FFF, 0x30003000);
    case DType::kFloat8E4M3:
      return nan ? Twice(0x80808080, 0x7F7F7F7F) : Twice(0x9F9F9F9F, 0x20202020);
    case DType::kInt32:
      // 2^30 and more: no index, count or length is legal there.
      return Twice(0x3FFFFFFF, 0x40000000);
    case DType::kInt64:
      return {0x3FFFFFFFFFFFFFFF, 0x4000000000000000};
    case DType::kBool:
    case DType::kUInt8:
    case DType::kFloat4E2M1x2:
      break;  // every value is legal
  }
  return {~std::uint64_t{0}, 0};
}

}  // namespace

void Pattern::Generate(std::size_t offset, std::span<std::byte> out) const {
  constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  constexpr std::size_t kBlockWords = 1024;
  CACHEON_CHECK(offset % 16 == 0, "patterns are made in whole blocks");
  const Mask mask = MaskFor(kind_, dtype_);
  std::array<std::uint32_t, kBlockWords> words;
  for (std::size_t done = 0; done < out.size(); done += kBlockWords * kWordBytes) {
    FillBits(bits_, (offset + done) / kWordBytes, words);
    for (std::size_t i = 0; i < kBlockWords; ++i) {
      const unsigned half = i % 2 * 32;
      words[i] = (words[i] & static_cast<std::uint32_t>(mask.keep >> half)) |
                 static_cast<std::uint32_t>(mask.set >> half);
    }
    const std::size_t count = std::min(out.size() - done, kBlockWords * kWordBytes);
    std::memcpy(out.data() + done, words.data(), count);
  }
}

Status Pattern::Fill(worker::TensorMemory& memory) const {
  constexpr std::int64_t kFillBytes = std::int64_t{256} << 10;
  FirstError first_error;
  ParallelFor(static_cast<std::int64_t>(memory.bytes().size()), kFillBytes,
              [&](std::int64_t begin, std::int64_t end) {
                thread_local std::vector<std::byte> block;
                block.resize(static_cast<std::size_t>(end - begin));
                Generate(static_cast<std::size_t>(begin), block);
                first_error.Add(memory.Write(static_cast<std::size_t>(begin), block));
              });
  return first_error.Take();
}

}  // namespace cacheon::verify
