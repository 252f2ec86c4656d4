// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/cubin_elf.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cacheon/artifact/cubin.h"
#include "cacheon/artifact/key_path.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kElfMagic = "\x7f\x45\x4c\x46";
constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba";
constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kSectionHeaderBytes = 64;
constexpr std::uint64_t kSymbolBytes = 24;
constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint32_t kStringTable = 3;
constexpr std::uint16_t kReservedSections = 0xff00;
constexpr std::uint16_t kExtendedSectionIndex = 0xffff;

// A field of the ELF header and the one value that a loadable CUBIN has there.
struct HeaderField {
  std::string_view name;
  std::uint64_t offset;
  int bytes;
  std::uint32_t value;
  std::string_view meaning;
};

constexpr HeaderField kHeaderFields[] = {
    {"ei_class", 4, 1, 2, "64-bit"},
    {"ei_data", 5, 1, 1, "little-endian"},
    {"ei_version", 6, 1, 1, "version 1"},
    {"e_type", 16, 2, 2, "an executable image (relocatable objects must be linked first)"},
    {"e_machine", 18, 2, 190, "NVIDIA CUDA"},
    {"e_version", 20, 4, 1, "the version that compilers write from CUDA 13 on"},
    {"e_ehsize", 52, 2, 64, "a header of 64 bytes"},
    {"e_shentsize", 58, 2, 64, "section headers of 64 bytes"},
};

std::uint32_t LoadField(std::string_view image, const HeaderField& field) {
  switch (field.bytes) {
    case 1:
      return LoadLittle<std::uint8_t>(image, field.offset);
    case 2:
      return LoadLittle<std::uint16_t>(image, field.offset);
    default:
      return LoadLittle<std::uint32_t>(image, field.offset);
  }
}

Status CheckHeader(std::string_view image) {
  if (image.starts_with(kFatbinMagic)) {
    return Fail("cubin.not_elf", "this is a fat binary: a container of several images", {},
                "compile one architecture with `nvcc -cubin -arch=sm_90a`");
  }
  if (!image.starts_with(kElfMagic.substr(0, std::min(image.size(), kElfMagic.size()))) ||
      image.empty()) {
    return Fail("cubin.not_elf", "this is no ELF image", {},
                "a CUBIN is what `nvcc -cubin` writes");
  }
  if (image.size() < kHeaderBytes) {
    return Fail(
        "cubin.truncated",
        fmt::format("an ELF header has {} bytes, the file has {}", kHeaderBytes, image.size()),
        {.key_path = "header"});
  }
  if (image.size() > kMaxCubinBytes) {
    return Fail("cubin.limit", fmt::format("a CUBIN has at most {} bytes, this one has {}",
                                           kMaxCubinBytes, image.size()));
  }
  for (const HeaderField& field : kHeaderFields) {
    const std::uint32_t value = LoadField(image, field);
    if (value != field.value) {
      return Fail("cubin.header",
                  fmt::format("{} is {}, a CUBIN has {}: {}", field.name, value, field.value,
                              field.meaning),
                  {.key_path = fmt::format("header.{}", field.name)});
    }
  }
  return {};
}

// `count` bytes at `offset`, or nothing when they do not all lie in the image.
std::optional<std::string_view> Slice(std::string_view image, std::uint64_t offset,
                                      std::uint64_t count) {
  if (offset > image.size() || count > image.size() - offset) return std::nullopt;
  return image.substr(offset, count);
}

// The text at an offset of a string table, without its NUL.
std::optional<std::string_view> TextAt(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::string_view tail = table.substr(offset, kMaxElfNameBytes + 1);
  const std::size_t end = tail.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return tail.substr(0, end);
}

constexpr KeyPath kSections("sections");
constexpr KeyPath kSymbols("symbols");

// The fields of a section header that reading needs besides those that are kept.
struct SectionHeader {
  std::uint32_t name = 0;
  std::uint32_t link = 0;
  std::uint64_t entry_bytes = 0;
};

Result<ElfSection> ReadSection(std::string_view image, std::string_view header, std::size_t index,
                               SectionHeader& extra) {
  ElfSection section{.name = {},
                     .type = LoadLittle<std::uint32_t>(header, 4),
                     .flags = LoadLittle<std::uint64_t>(header, 8),
                     .info = LoadLittle<std::uint32_t>(header, 44),
                     .size_bytes = LoadLittle<std::uint64_t>(header, 32),
                     .bytes = {}};
  extra = {.name = LoadLittle<std::uint32_t>(header, 0),
           .link = LoadLittle<std::uint32_t>(header, 40),
           .entry_bytes = LoadLittle<std::uint64_t>(header, 56)};
  if (section.size_bytes > kMaxCubinBytes) {
    return Fail("cubin.limit",
                fmt::format("a section has at most {} bytes, this one has {}", kMaxCubinBytes,
                            section.size_bytes),
                kSections.At(index).where());
  }
  if (index == 0 || section.type == kSectionNoBits) return section;
  const std::uint64_t offset = LoadLittle<std::uint64_t>(header, 24);
  const auto bytes = Slice(image, offset, section.size_bytes);
  if (!bytes) {
    return Fail("cubin.truncated",
                fmt::format("{} bytes at offset {} do not lie in a file of {}", section.size_bytes,
                            offset, image.size()),
                kSections.At(index).where());
  }
  section.bytes = *bytes;
  return section;
}

Result<ElfSymbol> ReadSymbol(std::string_view entry, std::string_view names, std::size_t index,
                             std::size_t section_count) {
  const auto name = TextAt(names, LoadLittle<std::uint32_t>(entry, 0));
  if (!name) {
    return Fail("cubin.symbol", "the name is not in the string table", kSymbols.At(index).where());
  }
  const ElfSymbol symbol{.name = *name,
                         .type = static_cast<std::uint8_t>(entry[4] & 0xf),
                         .other = static_cast<std::uint8_t>(entry[5]),
                         .section = LoadLittle<std::uint16_t>(entry, 6),
                         .value = LoadLittle<std::uint64_t>(entry, 8),
                         .size_bytes = LoadLittle<std::uint64_t>(entry, 16)};
  const bool reserved =
      symbol.section >= kReservedSections && symbol.section != kExtendedSectionIndex;
  if (symbol.section >= section_count && !reserved) {
    return Fail(
        "cubin.symbol",
        fmt::format("section {} does not exist; there are {}", symbol.section, section_count),
        kSymbols.At(index).where());
  }
  return symbol;
}

class ElfReader {
 public:
  explicit ElfReader(std::string_view image) : image_(image) {}

  Result<ElfImage> Read() {
    RETURN_IF_ERROR(CheckHeader(image_));
    elf_.flags = LoadLittle<std::uint32_t>(image_, 48);
    RETURN_IF_ERROR(CheckSegments());
    RETURN_IF_ERROR(ReadSections());
    RETURN_IF_ERROR(NameSections());
    RETURN_IF_ERROR(ReadSymbols());
    return std::move(elf_);
  }

 private:
  // Segments repeat what sections say; only that their table is whole is of interest.
  Status CheckSegments() const {
    const std::uint64_t offset = LoadLittle<std::uint64_t>(image_, 32);
    const std::uint64_t entry_bytes = LoadLittle<std::uint16_t>(image_, 54);
    const std::uint64_t count = LoadLittle<std::uint16_t>(image_, 56);
    if (!Slice(image_, offset, count * entry_bytes)) {
      return Fail("cubin.truncated",
                  fmt::format("{} program headers at offset {} do not lie in a file of {} bytes",
                              count, offset, image_.size()),
                  {.key_path = "header.e_phoff"});
    }
    return {};
  }

  Status ReadSections() {
    const std::uint64_t offset = LoadLittle<std::uint64_t>(image_, 40);
    const std::size_t count = LoadLittle<std::uint16_t>(image_, 60);
    if (count == 0 || count >= kReservedSections) {
      return Fail("cubin.limit",
                  fmt::format("a CUBIN has 1..{} sections, not {}", kReservedSections - 1, count),
                  {.key_path = "header.e_shnum"});
    }
    const auto table = Slice(image_, offset, count * kSectionHeaderBytes);
    if (!table) {
      return Fail("cubin.truncated",
                  fmt::format("{} section headers at offset {} do not lie in a file of {} bytes",
                              count, offset, image_.size()),
                  {.key_path = "header.e_shoff"});
    }
    elf_.sections.reserve(count);
    headers_.resize(count);
    std::uint64_t file_bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto header = table->substr(i * kSectionHeaderBytes, kSectionHeaderBytes);
      ASSIGN_OR_RETURN(const ElfSection section, ReadSection(image_, header, i, headers_[i]));
      elf_.sections.push_back(section);
      // Bounds the work of all that follows by the size of the file.
      file_bytes += section.bytes.size();
      if (file_bytes > image_.size()) {
        return Fail("cubin.section", "sections overlap: together they are larger than the file",
                    kSections.At(i).where());
      }
    }
    return {};
  }

  Status NameSections() {
    const std::size_t names = LoadLittle<std::uint16_t>(image_, 62);
    if (names >= elf_.sections.size() || elf_.sections[names].type != kStringTable) {
      return Fail("cubin.section", fmt::format("section {} is no string table", names),
                  {.key_path = "header.e_shstrndx"});
    }
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
      const auto name = TextAt(elf_.sections[names].bytes, headers_[i].name);
      if (!name) {
        return Fail("cubin.section", "the name is not in the string table",
                    kSections.At(i).where());
      }
      elf_.sections[i].name = *name;
    }
    return {};
  }

  Status ReadSymbols() {
    const auto is_table = [](const ElfSection& s) { return s.type == kSymbolTable; };
    const auto found = std::ranges::find_if(elf_.sections, is_table);
    if (found == elf_.sections.end()) {
      return Fail("cubin.section", "there is no symbol table", {.key_path = "sections"});
    }
    const auto index = static_cast<std::size_t>(found - elf_.sections.begin());
    const KeyPath path = kSections.At(index);
    if (std::ranges::count_if(elf_.sections, is_table) > 1) {
      return Fail("cubin.section", "there is more than one symbol table", path.where());
    }
    const SectionHeader& header = headers_[index];
    if (header.entry_bytes != kSymbolBytes || found->size_bytes % kSymbolBytes != 0 ||
        header.link >= elf_.sections.size() || elf_.sections[header.link].type != kStringTable) {
      return Fail("cubin.section", "the symbol table is malformed", path.where());
    }
    const std::uint64_t count = found->size_bytes / kSymbolBytes;
    if (count > kMaxElfSymbols) {
      return Fail("cubin.limit",
                  fmt::format("a CUBIN has at most {} symbols, not {}", kMaxElfSymbols, count),
                  path.where());
    }
    elf_.symbols.reserve(count);
    std::uint64_t name_bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const ElfSymbol symbol,
                       ReadSymbol(found->bytes.substr(i * kSymbolBytes, kSymbolBytes),
                                  elf_.sections[header.link].bytes, i, elf_.sections.size()));
      elf_.symbols.push_back(symbol);
      // Names may share bytes of the table; this bounds what copies of them can take.
      name_bytes += symbol.name.size();
      if (name_bytes > image_.size()) {
        return Fail("cubin.symbol", "the names are together larger than the file",
                    kSymbols.At(i).where());
      }
    }
    return {};
  }

  std::string_view image_;
  ElfImage elf_;
  std::vector<SectionHeader> headers_;  // beside elf_.sections
};

}  // namespace

Result<ElfImage> ReadElf(std::string_view image) { return ElfReader(image).Read(); }

}  // namespace cacheon::artifact
