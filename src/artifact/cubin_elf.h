// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bounded reader of the ELF64 container of a CUBIN: sections and symbols as views into the image.
// Every offset, size and index is checked against the image before it is used.

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr std::uint64_t kMaxElfSymbols = 1U << 20U;
inline constexpr std::size_t kMaxElfNameBytes = 8192;

inline constexpr std::uint32_t kSectionNoBits = 8;
inline constexpr std::uint64_t kSectionWritable = 1;
inline constexpr std::uint64_t kSectionAllocated = 2;
inline constexpr std::uint64_t kSectionExecutable = 4;

inline constexpr std::uint8_t kSymbolObject = 1;
inline constexpr std::uint8_t kSymbolFunction = 2;
inline constexpr std::uint16_t kUndefinedSection = 0;

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint32_t info = 0;
  std::uint64_t size_bytes = 0;
  std::string_view bytes;  // empty for a section that takes no room in the file
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;
  std::uint8_t other = 0;     // st_other
  std::uint16_t section = 0;  // below the section count, undefined, or reserved (>= 0xff00)
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
};

// Views into an image that must outlive it.
struct ElfImage {
  std::uint32_t flags = 0;  // e_flags
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;  // index 0 is the null symbol
};

// A little-endian integer at an offset that the caller has checked.
template <std::unsigned_integral T>
T LoadLittle(std::string_view bytes, std::uint64_t offset) {
  static_assert(std::endian::native == std::endian::little);
  T value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// Applies the static gate of direct artifacts, then reads the tables. Codes: cubin.not_elf,
// cubin.header, cubin.truncated, cubin.limit, cubin.section, cubin.symbol.
Result<ElfImage> ReadElf(std::string_view image);

}  // namespace cacheon::artifact
