// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/cubin_module.h"

#include <fmt/format.h>

#include <set>

#include "cacheon/artifact/key_path.h"
#include "src/artifact/cubin_info.h"

namespace cacheon::artifact {
namespace {

constexpr std::uint32_t kOldestArchitecture = 70;
constexpr KeyPath kSections("sections");
constexpr std::string_view kLocalPrefix = ".nv.local.";

bool OutlivesLaunches(const ElfSection& section) {
  constexpr std::uint64_t kNeeded = kSectionWritable | kSectionAllocated;
  return (section.flags & kNeeded) == kNeeded && section.size_bytes > 0 &&
         !section.name.starts_with(kSharedPrefix) && !section.name.starts_with(kLocalPrefix);
}

}  // namespace

Result<std::string> ReadArchitecture(const ElfImage& elf) {
  constexpr unsigned kNumberShift = 8;
  constexpr std::uint32_t kNumberMask = 0xff;
  const std::uint32_t number = (elf.flags >> kNumberShift) & kNumberMask;
  if (number < kOldestArchitecture) {
    return Fail("cubin.architecture",
                fmt::format("e_flags 0x{:x} names sm_{}; code before sm_{} is not read", elf.flags,
                            number, kOldestArchitecture),
                {.key_path = "header.e_flags"});
  }
  bool accelerated = false;
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    if (elf.sections[i].type != kSectionCudaCompat) continue;
    RETURN_IF_ERROR(ForEachRecord(
        elf.sections[i].bytes, kSections.At(i), [&](const InfoRecord& record) -> Status {
          accelerated |= record.attribute == kCompatAccelerated && record.value == 1;
          return {};
        }));
  }
  return fmt::format("sm_{}{}", number, accelerated ? "a" : "");
}

std::vector<CubinGlobal> FindGlobals(const ElfImage& elf) {
  std::vector<CubinGlobal> globals;
  std::vector<bool> named(elf.sections.size(), false);
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type != kSymbolObject || symbol.section >= elf.sections.size()) continue;
    const ElfSection& section = elf.sections[symbol.section];
    if (!OutlivesLaunches(section)) continue;
    named[symbol.section] = true;
    globals.push_back({.name = std::string(symbol.name),
                       .size_bytes = symbol.size_bytes,
                       .initialised = section.type != kSectionNoBits});
  }
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (named[i] || !OutlivesLaunches(section)) continue;
    globals.push_back({.name = {},
                       .size_bytes = section.size_bytes,
                       .initialised = section.type != kSectionNoBits});
  }
  return globals;
}

std::vector<std::string> FindDeviceCalls(const ElfImage& elf) {
  std::set<std::string_view> names;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type == kSymbolFunction && symbol.section == kUndefinedSection) {
      names.insert(symbol.name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace cacheon::artifact
