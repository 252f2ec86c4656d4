// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of the sections `.nv.info`, `.nv.info.KERNEL` and `.nv.compat`. A record is
//
//   byte format, byte attribute, half value                (formats 1 to 3: none, byte, half)
//   byte format, byte attribute, half length, bytes        (format 4)
//
// Records of format 4 have a length that is a multiple of four. The numbers of the attributes are
// those that the vendor's disassembler prints as EIATTR_*.

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "cacheon/artifact/key_path.h"
#include "cacheon/core/result.h"
#include "src/artifact/cubin_elf.h"

namespace cacheon::artifact {

inline constexpr std::uint32_t kSectionCudaInfo = 0x70000000;
inline constexpr std::uint32_t kSectionCudaCompat = 0x70000086;

// The attributes that are read; all others are passed over.
inline constexpr std::uint8_t kInfoMaxThreads = 0x05;        // 3 words
inline constexpr std::uint8_t kInfoExterns = 0x0f;           // symbol indices
inline constexpr std::uint8_t kInfoRequiredThreads = 0x10;   // 3 words
inline constexpr std::uint8_t kInfoFrameSize = 0x11;         // symbol index, bytes
inline constexpr std::uint8_t kInfoMinStackSize = 0x12;      // symbol index, bytes
inline constexpr std::uint8_t kInfoParameter = 0x17;         // see ReadParameterRecord
inline constexpr std::uint8_t kInfoRegisterCount = 0x2f;     // symbol index, count
inline constexpr std::uint8_t kInfoBlocksPerCluster = 0x3d;  // 3 words
inline constexpr std::uint8_t kInfoMaxClusterRank = 0x3f;    // word
inline constexpr std::uint8_t kInfoLargeParameter = 0x45;    // see ReadParameterRecord
inline constexpr std::uint8_t kInfoSyscallOffsets = 0x46;    // byte offsets into the code
inline constexpr std::uint8_t kInfoBarrierCount = 0x4c;      // value
inline constexpr std::uint8_t kCompatAccelerated = 0x09;     // value 1: `a` behind the number

struct InfoRecord {
  std::uint8_t attribute = 0;
  std::uint16_t value = 0;      // formats 1 to 3
  std::string_view bytes = {};  // format 4

  std::uint32_t word(std::size_t index) const {
    return LoadLittle<std::uint32_t>(bytes, index * sizeof(std::uint32_t));
  }
  std::size_t word_count() const { return bytes.size() / sizeof(std::uint32_t); }
};

// Reads the record at `offset` and moves `offset` behind it; `path` is that of the section. Code:
// cubin.info (the record does not end in the section or has no known format).
Result<InfoRecord> ReadRecord(std::string_view section, std::uint64_t& offset, const KeyPath& path);

// Code: cubin.info (a record of `.nv.info` has fewer words than are read of its attribute).
Status CheckInfoRecord(const InfoRecord& record, const KeyPath& path);

// Calls `visit(record) -> Status` for each record of a section. The attributes of `.nv.compat` are
// numbered apart from those of `.nv.info`.
template <typename Visit>
Status ForEachRecord(std::string_view section, const KeyPath& path, Visit visit) {
  for (std::uint64_t offset = 0; offset < section.size();) {
    ASSIGN_OR_RETURN(const InfoRecord record, ReadRecord(section, offset, path));
    RETURN_IF_ERROR(visit(record));
  }
  return {};
}

// The same for `.nv.info`, after CheckInfoRecord.
template <typename Visit>
Status ForEachInfoRecord(std::string_view section, const KeyPath& path, Visit visit) {
  return ForEachRecord(section, path, [&](const InfoRecord& record) -> Status {
    RETURN_IF_ERROR(CheckInfoRecord(record, path));
    return visit(record);
  });
}

struct ParameterRecord {
  std::uint32_t ordinal = 0;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
};

// word 0: unused, word 1: ordinal (low half) and offset (high half), word 2: the size. A plain
// record has it in bits 18 and up, a large one (kernels with more than 4 KiB of parameters) in the
// whole word.
ParameterRecord ReadParameterRecord(const InfoRecord& record);

}  // namespace cacheon::artifact
