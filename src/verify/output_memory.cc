// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/output_memory.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/verify/fingerprint.h"

namespace cacheon::verify {
namespace {

using Inspection = OutputMemory::Inspection;

// A stretch of adjacent elements, in bytes of the storage.
struct Run {
  std::size_t begin;
  std::size_t end;
  std::int64_t first_index;
};

std::vector<Run> RunsOf(const worker::TensorMemory& memory, std::size_t item) {
  std::vector<Run> runs;
  tensor::ForEachRun(memory.const_view().layout, [&](std::int64_t offset, std::int64_t count,
                                                     std::int64_t first) {
    const std::size_t begin = memory.element_begin_byte() + static_cast<std::size_t>(offset) * item;
    runs.push_back({begin, begin + static_cast<std::size_t>(count) * item, first});
  });
  return runs;
}

template <typename Word>
std::int64_t CountEqual(const std::byte* a, const std::byte* b, std::size_t bytes) {
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word left;
    Word right;
    std::memcpy(&left, a + i, sizeof(Word));
    std::memcpy(&right, b + i, sizeof(Word));
    equal += left == right ? 1 : 0;
  }
  return equal;
}

std::int64_t CountEqualItems(const std::byte* a, const std::byte* b, std::size_t bytes,
                             std::size_t item) {
  switch (item) {
    case 1:
      return CountEqual<std::uint8_t>(a, b, bytes);
    case 2:
      return CountEqual<std::uint16_t>(a, b, bytes);
    case 4:
      return CountEqual<std::uint32_t>(a, b, bytes);
    default:
      return CountEqual<std::uint64_t>(a, b, bytes);
  }
}

// Inspects one block of storage whose pattern has been made again.
class BlockInspector {
 public:
  BlockInspector(std::span<const std::byte> held, std::span<const std::byte> pattern,
                 std::size_t begin, std::size_t item)
      : held_(held), pattern_(pattern), begin_(begin), item_(item) {}

  void Elements(std::size_t from, std::size_t to, std::int64_t first_index) {
    const std::byte* held = held_.data() + from;
    const std::byte* pattern = pattern_.data() + (from - begin_);
    const std::int64_t equal = CountEqualItems(held, pattern, to - from, item_);
    if (equal == 0) return;
    std::size_t first = 0;
    while (first < to - from && std::memcmp(held + first, pattern + first, item_) != 0)
      first += item_;
    // A thread that outlives its call may have written meanwhile; then the last look counts.
    if (first == to - from) return;
    if (result.unwritten == 0) {
      result.first_unwritten = first_index + static_cast<std::int64_t>(first / item_);
    }
    result.unwritten += equal;
  }

  void Guard(std::size_t from, std::size_t to, std::size_t element_begin) {
    const std::byte* held = held_.data() + from;
    const std::byte* pattern = pattern_.data() + (from - begin_);
    if (from >= to || std::memcmp(held, pattern, to - from) == 0) return;
    for (std::size_t i = 0; i < to - from; ++i) {
      if (held[i] == pattern[i]) continue;
      if (result.changed_guard_bytes++ == 0) {
        result.first_changed_byte =
            static_cast<std::int64_t>(from + i) - static_cast<std::int64_t>(element_begin);
      }
    }
  }

  Inspection result;

 private:
  std::span<const std::byte> held_;
  std::span<const std::byte> pattern_;
  std::size_t begin_;
  std::size_t item_;
};

void Merge(Inspection& total, const Inspection& part) {
  if (part.unwritten > 0 &&
      (total.unwritten == 0 || part.first_unwritten < total.first_unwritten)) {
    total.first_unwritten = part.first_unwritten;
  }
  if (part.changed_guard_bytes > 0 &&
      (total.changed_guard_bytes == 0 || part.first_changed_byte < total.first_changed_byte)) {
    total.first_changed_byte = part.first_changed_byte;
  }
  total.unwritten += part.unwritten;
  total.changed_guard_bytes += part.changed_guard_bytes;
}

}  // namespace

Result<OutputMemory> OutputMemory::Create(const slots::PlannedTensor& planned, PatternKind kind,
                                          worker::GuardSide side, Secrets& secrets) {
  ASSIGN_OR_RETURN(worker::TensorMemory memory,
                   worker::TensorMemory::Create(planned.name, planned.dtype, planned.layout,
                                                planned.offset_elements, side));
  const Pattern pattern(kind, planned.dtype, secrets.key(), secrets.NextStream());
  RETURN_IF_ERROR(pattern.Fill(memory));
  return OutputMemory(std::move(memory), pattern);
}

std::uint64_t OutputMemory::Fingerprint(std::uint64_t key) const {
  return verify::Fingerprint(memory_.bytes(), key);
}

Inspection OutputMemory::Inspect() const {
  constexpr std::int64_t kBlockBytes = std::int64_t{256} << 10;
  const std::span<const std::byte> held = memory_.bytes();
  const std::size_t item = tensor::ItemSize(memory_.const_view().dtype);
  const std::vector<Run> runs = RunsOf(memory_, item);
  std::mutex mutex;
  Inspection total;
  ParallelFor(static_cast<std::int64_t>(held.size()), kBlockBytes,
              [&](std::int64_t block_begin, std::int64_t block_end) {
                const auto begin = static_cast<std::size_t>(block_begin);
                const auto end = static_cast<std::size_t>(block_end);
                thread_local std::vector<std::byte> pattern;
                pattern.resize(end - begin);
                pattern_.Generate(begin, pattern);
                BlockInspector inspector(held, pattern, begin, item);
                std::size_t cursor = begin;
                auto run = std::ranges::upper_bound(runs, begin, {}, &Run::end);
                for (; run != runs.end() && run->begin < end; ++run) {
                  const std::size_t from = std::max(run->begin, begin);
                  const std::size_t to = std::min(run->end, end);
                  inspector.Guard(cursor, from, memory_.element_begin_byte());
                  inspector.Elements(
                      from, to,
                      run->first_index + static_cast<std::int64_t>((from - run->begin) / item));
                  cursor = to;
                }
                inspector.Guard(cursor, end, memory_.element_begin_byte());
                const std::lock_guard lock(mutex);
                Merge(total, inspector.result);
              });
  return total;
}

}  // namespace cacheon::verify
