// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/cubin_code.h"

#include <algorithm>

#include "src/artifact/cubin_elf.h"

namespace cacheon::artifact {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;
constexpr unsigned kOperationMask = 0x1ff;
constexpr unsigned kFormShift = 9;
constexpr unsigned kFormMask = 7;
constexpr unsigned kFormImmediate = 4;
constexpr unsigned kCallAbsolute = 0x143;
constexpr unsigned kCallRelative = 0x144;

bool IsIndirectCall(std::uint16_t word) {
  const unsigned operation = word & kOperationMask;
  const unsigned form = (word >> kFormShift) & kFormMask;
  return (operation == kCallAbsolute || operation == kCallRelative) && form != kFormImmediate;
}

}  // namespace

std::uint32_t CountIndirectCalls(std::string_view code,
                                 std::span<const std::uint32_t> known_offsets) {
  std::uint32_t count = 0;
  for (std::uint64_t at = 0; code.size() - at >= kInstructionBytes; at += kInstructionBytes) {
    if (IsIndirectCall(LoadLittle<std::uint16_t>(code, at)) &&
        !std::ranges::binary_search(known_offsets, at)) {
      ++count;
    }
  }
  return count;
}

}  // namespace cacheon::artifact
