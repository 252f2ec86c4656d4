// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::worker {
namespace {

constexpr int kHexadecimal = 16;
constexpr int kDecimal = 10;

// Takes a number and the delimiter after it from the front of `text`.
bool TakeNumber(std::string_view& text, char delimiter, int base, std::uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || next == end || *next != delimiter) return false;
  text.remove_prefix(static_cast<std::size_t>(next - text.data()) + 1);
  return true;
}

// `begin-end perms offset major:minor inode path`
std::optional<Mapping> ParseMapping(std::string_view line) {
  Mapping mapping;
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  if (!TakeNumber(line, '-', kHexadecimal, mapping.begin)) return std::nullopt;
  if (!TakeNumber(line, ' ', kHexadecimal, mapping.end)) return std::nullopt;
  const std::size_t permissions = line.find(' ');
  if (permissions == std::string_view::npos) return std::nullopt;
  line.remove_prefix(permissions + 1);
  if (!TakeNumber(line, ' ', kHexadecimal, mapping.file_offset)) return std::nullopt;
  if (!TakeNumber(line, ':', kHexadecimal, major)) return std::nullopt;
  if (!TakeNumber(line, ' ', kHexadecimal, minor)) return std::nullopt;
  const std::string_view inode = line.substr(0, line.find(' '));
  std::from_chars(inode.data(), inode.data() + inode.size(), mapping.inode, kDecimal);
  mapping.device = major << 32U | minor;
  return mapping;
}

// The index of the element that starts `offset` elements after the first; nullopt in a stride gap.
std::optional<std::vector<std::int64_t>> IndexAt(const tensor::Layout& layout,
                                                 std::int64_t offset) {
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (layout.shape[d] <= 1 || layout.strides[d] == 0) continue;
    index[d] = std::min(offset / layout.strides[d], layout.shape[d] - 1);
    offset -= index[d] * layout.strides[d];
  }
  if (offset != 0) return std::nullopt;
  return index;
}

// `x[3, 17]`, or how far a byte of the file lies from the elements.
std::string PlaceOf(const TensorMemory& memory, std::uint64_t file_offset) {
  const std::uint64_t begin = memory.element_begin_byte();
  const std::uint64_t end = begin + memory.element_span_bytes();
  const std::string& name = memory.name();
  if (file_offset >= kBeforeOffset) {
    const std::uint64_t distance = kBeforeOffset + kGuardBytes - file_offset + begin;
    return fmt::format("{} bytes before the first element of `{}`", distance, name);
  }
  if (file_offset < begin) {
    return fmt::format("{} bytes before the first element of `{}`", begin - file_offset, name);
  }
  if (file_offset >= end) {
    return fmt::format("{} bytes past the last element of `{}`", file_offset - end, name);
  }
  const auto element =
      static_cast<std::int64_t>((file_offset - begin) / tensor::ItemSize(memory.dtype()));
  if (const auto index = IndexAt(memory.layout(), element)) {
    return fmt::format("`{}[{}]`", name, fmt::join(*index, ", "));
  }
  return fmt::format("a stride gap of `{}`, {} elements after its first", name, element);
}

Error GuardFault(Access access, const Place& where, const std::string& place) {
  const std::string hint = "stay inside the shape and strides of the tensor";
  switch (access) {
    case Access::kWrite:
      return Fail("mem.oob_write", "the candidate wrote " + place, where, hint).error();
    case Access::kRead:
      return Fail("mem.oob_read", "the candidate read " + place, where, hint).error();
    case Access::kUnknown:
      break;
  }
  return Fail("mem.oob_access", "the candidate accessed memory " + place, where, hint).error();
}

Error Crash(const FaultRecord& fault) {
  return Fail("cand.crash", fmt::format("the candidate crashed ({} at address {:#x})",
                                        strsignal(fault.signal), fault.address))
      .error();
}

}  // namespace

std::optional<Mapping> FindMapping(std::string_view maps, std::uint64_t address) {
  while (!maps.empty()) {
    const std::size_t line_end = std::min(maps.find('\n'), maps.size());
    const auto mapping = ParseMapping(maps.substr(0, line_end));
    if (mapping && mapping->begin <= address && address < mapping->end) return mapping;
    maps.remove_prefix(std::min(line_end + 1, maps.size()));
  }
  return std::nullopt;
}

Error DescribeFault(const FaultRecord& fault, std::span<const Grant> grants) {
  const bool memory_fault = fault.signal == SIGSEGV || fault.signal == SIGBUS;
  if (!memory_fault || !fault.mapping || fault.mapping->inode == 0) return Crash(fault);
  const auto grant = std::ranges::find_if(grants, [&](const Grant& candidate) {
    return candidate.inode == fault.mapping->inode && candidate.device == fault.mapping->device;
  });
  if (grant == grants.end()) return Crash(fault);
  const TensorMemory& memory = *grant->memory;
  const std::uint64_t file_offset =
      fault.mapping->file_offset + (fault.address - fault.mapping->begin);
  const std::string place = PlaceOf(memory, file_offset);
  const Place where{.key_path = memory.name()};
  if (file_offset >= memory.bytes().size()) return GuardFault(fault.access, where, place);
  if (grant->writable) return Crash(fault);
  return Fail("in.mutated", fmt::format("the candidate wrote to input {}", place), where,
              "inputs are read-only; write results to the outputs only")
      .error();
}

}  // namespace cacheon::worker
