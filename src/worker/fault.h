// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a memory fault, as the kernel told it, into a sentence about a tensor. Nothing that the
// worker says is used: the address comes from the kernel's signal information, the mapping from the
// kernel's list of mappings, and the tensor from the number of the file that is mapped there.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cacheon/core/error.h"
#include "cacheon/worker/memory.h"

namespace cacheon::worker {

// One line of /proc/PID/maps.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t device = 0;  // major << 32 | minor
  std::uint64_t inode = 0;   // 0: no file
};

// The mapping that holds `address`. Malformed lines are skipped.
std::optional<Mapping> FindMapping(std::string_view maps, std::uint64_t address);

enum class Access : std::uint8_t { kUnknown, kRead, kWrite };

struct FaultRecord {
  int signal = 0;
  std::uint64_t address = 0;
  Access access = Access::kUnknown;
  std::optional<Mapping> mapping = {};
};

// A tensor that the worker maps.
struct Grant {
  const TensorMemory* memory = nullptr;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool writable = false;
};

// The worker maps the same file, without access, on both sides of its content, so that the kernel
// names the tensor of a guard too: after the content with the offsets that follow, before it with
// offsets from kBeforeOffset, which no file reaches.
inline constexpr std::uint64_t kGuardBytes = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kBeforeOffset = std::uint64_t{1} << 46U;

// Codes: in.mutated, mem.oob_write, mem.oob_read, mem.oob_access, cand.crash.
Error DescribeFault(const FaultRecord& fault, std::span<const Grant> grants);

}  // namespace cacheon::worker
