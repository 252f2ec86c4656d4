// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cacheon/artifact/cubin.h"
#include "src/artifact/cubin_images_for_test.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kInfo = ".nv.info.rmsnorm_kernel";

// Offsets of fields in a section header and in a symbol.
constexpr std::uint64_t kSectionType = 4;
constexpr std::uint64_t kSectionFlags = 8;
constexpr std::uint64_t kSectionOffset = 24;
constexpr std::uint64_t kSectionSize = 32;
constexpr std::uint64_t kSectionInfo = 44;
constexpr std::uint64_t kSectionEntry = 56;
constexpr std::uint64_t kSymbolOther = 5;
constexpr std::uint64_t kSymbolSection = 6;

void ExpectRefusal(const std::string& image, std::string_view code, std::string_view key_path) {
  const auto cubin = ReadCubin(image);
  ASSERT_FALSE(cubin.has_value()) << code;
  EXPECT_EQ(cubin.error().code.text(), code) << cubin.error().message;
  EXPECT_EQ(cubin.error().where.key_path, key_path) << cubin.error().message;
}

std::string Image() { return CubinData("rmsnorm.sm_90a.cubin"); }

std::string Section(std::string_view image, std::string_view name) {
  return fmt::format("sections[{}]", SectionIndex(image, name));
}

std::string Symbol(std::string_view image, std::string_view name) {
  return fmt::format("symbols[{}]",
                     (SymbolAt(image, name) - SectionBytesAt(image, ".symtab")) / 24);
}

// The image with a field of a section's header changed.
template <typename T>
std::string WithHeader(const std::string& image, std::string_view section, std::uint64_t field,
                       T value) {
  return WithValue(image, SectionHeaderAt(image, SectionIndex(image, section)) + field, value);
}

TEST(CubinRefusal, NamesWhatIsNoCubin) {
  ExpectRefusal("", "cubin.not_elf", "");
  ExpectRefusal("MZ", "cubin.not_elf", "");
  ExpectRefusal(std::string("\x50\xed\x55\xba", 4), "cubin.not_elf", "");
  ExpectRefusal(
      "\x7f"
      "ELF",
      "cubin.truncated", "header");
}

TEST(CubinRefusal, NamesTheFieldOfTheHeader) {
  ExpectRefusal(WithValue(Image(), 4, std::uint8_t{1}), "cubin.header", "header.ei_class");
  ExpectRefusal(WithValue(Image(), 5, std::uint8_t{2}), "cubin.header", "header.ei_data");
  ExpectRefusal(WithValue(Image(), 6, std::uint8_t{0}), "cubin.header", "header.ei_version");
  ExpectRefusal(WithValue(Image(), 16, std::uint16_t{1}), "cubin.header", "header.e_type");
  ExpectRefusal(WithValue(Image(), 18, std::uint16_t{62}), "cubin.header", "header.e_machine");
  ExpectRefusal(WithValue(Image(), 20, 2U), "cubin.header", "header.e_version");
  ExpectRefusal(WithValue(Image(), 52, std::uint16_t{52}), "cubin.header", "header.e_ehsize");
  ExpectRefusal(WithValue(Image(), 58, std::uint16_t{40}), "cubin.header", "header.e_shentsize");
}

TEST(CubinRefusal, WantsTheLayoutOfCuda13) {
  ExpectRefusal(CubinData("before_cuda_13.sm_90a.cubin"), "cubin.header", "header.e_version");
}

TEST(CubinRefusal, NamesAnArchitectureThatItCannotRead) {
  ExpectRefusal(WithValue(Image(), 48, 0x6003404U), "cubin.architecture", "header.e_flags");
}

TEST(CubinRefusal, ChecksEveryRangeAgainstTheFile) {
  const std::string image = Image();
  ExpectRefusal(WithValue(image, 32, UINT64_MAX), "cubin.truncated", "header.e_phoff");
  ExpectRefusal(WithValue(image, 40, UINT64_MAX - 63), "cubin.truncated", "header.e_shoff");
  ExpectRefusal(WithHeader(image, kInfo, kSectionOffset, UINT64_MAX - 3), "cubin.truncated",
                Section(image, kInfo));
  ExpectRefusal(WithHeader(image, kInfo, kSectionSize, std::uint64_t{1} << 20U), "cubin.truncated",
                Section(image, kInfo));
}

TEST(CubinRefusal, ChecksEveryCountAgainstItsLimit) {
  const std::string image = Image();
  ExpectRefusal(WithValue(image, 60, std::uint16_t{0}), "cubin.limit", "header.e_shnum");
  ExpectRefusal(WithHeader(image, kInfo, kSectionSize, UINT64_MAX), "cubin.limit",
                Section(image, kInfo));
}

TEST(CubinRefusal, NamesTheSectionThatIsMalformed) {
  const std::string image = Image();
  ExpectRefusal(WithValue(image, 62, std::uint16_t{0}), "cubin.section", "header.e_shstrndx");
  ExpectRefusal(WithHeader(image, kInfo, 0, UINT32_MAX), "cubin.section", Section(image, kInfo));
  ExpectRefusal(WithHeader(image, ".symtab", kSectionType, 1U), "cubin.section", "sections");
  ExpectRefusal(WithHeader(image, ".symtab", kSectionEntry, std::uint64_t{16}), "cubin.section",
                Section(image, ".symtab"));
  ExpectRefusal(WithHeader(image, kInfo, kSectionType, 2U), "cubin.section",
                Section(image, ".symtab"));
  ExpectRefusal(WithHeader(image, kInfo, kSectionInfo, 1000U), "cubin.section",
                Section(image, kInfo));
  const std::uint64_t name =
      SectionBytesAt(image, ".shstrtab") +
      LoadAt<std::uint32_t>(image, SectionHeaderAt(image, SectionIndex(image, ".nv.constant3")));
  ExpectRefusal(WithValue(image, name + std::string_view(".nv.constant").size(), 'x'),
                "cubin.section", Section(image, ".nv.constant3"));
}

TEST(CubinRefusal, NamesTheSectionAtWhichTheyAreLargerThanTheFile) {
  std::string image = Image();
  const std::uint64_t all = image.size();
  image = WithHeader(image, ".nv.constant3", kSectionOffset, std::uint64_t{0});
  image = WithHeader(image, ".nv.constant3", kSectionSize, all);
  ExpectRefusal(image, "cubin.section", Section(image, ".nv.constant3"));
}

TEST(CubinRefusal, NamesTheSymbolThatIsMalformed) {
  const std::string image = Image();
  const std::uint64_t symbol = SymbolAt(image, "rmsnorm_kernel");
  const std::string place = Symbol(image, "rmsnorm_kernel");
  ExpectRefusal(WithValue(image, symbol, UINT32_MAX), "cubin.symbol", place);
  ExpectRefusal(WithValue(image, symbol + kSymbolSection, std::uint16_t{0x7fff}), "cubin.symbol",
                place);
}

TEST(CubinRefusal, NamesTheKernelThatIsMalformed) {
  const std::string image = Image();
  const std::uint64_t symbol = SymbolAt(image, "rmsnorm_kernel");
  const std::string place = Symbol(image, "rmsnorm_kernel");
  ExpectRefusal(WithValue(image, symbol + kSymbolOther, std::uint8_t{0}), "cubin.kernel",
                "symbols");
  ExpectRefusal(WithHeader(image, ".text.rmsnorm_kernel", kSectionFlags, std::uint64_t{2}),
                "cubin.kernel", place);
  ExpectRefusal(WithHeader(image, kInfo, kSectionType, 1U), "cubin.kernel",
                "kernels.rmsnorm_kernel");
  ExpectRefusal(WithValue(image, RecordAt(image, ".nv.info", 0x2f) + 1, std::uint8_t{0x7f}),
                "cubin.kernel", "kernels.rmsnorm_kernel");
  const std::uint64_t name =
      SectionBytesAt(image, ".strtab") + LoadAt<std::uint32_t>(image, symbol);
  ExpectRefusal(WithValue(image, name, '1'), "cubin.kernel_name", place);
}

TEST(CubinRefusal, KeepsKernelsApart) {
  const std::string image = CubinData("launch_bounds.sm_90a.cubin");
  const std::uint64_t sized = SymbolAt(image, "sized_kernel");
  const std::uint64_t large = SymbolAt(image, "large_kernel");
  const std::string second =
      sized < large ? Symbol(image, "large_kernel") : Symbol(image, "sized_kernel");
  ExpectRefusal(WithValue(image, sized + kSymbolSection,
                          LoadAt<std::uint16_t>(image, large + kSymbolSection)),
                "cubin.kernel", second);
  ExpectRefusal(WithValue(image, sized, LoadAt<std::uint32_t>(image, large)), "cubin.kernel_name",
                second);
  constexpr std::string_view kLargeInfo = ".nv.info.large_kernel";
  const auto owner = LoadAt<std::uint32_t>(
      image, SectionHeaderAt(image, SectionIndex(image, ".nv.info.sized_kernel")) + kSectionInfo);
  ExpectRefusal(WithHeader(image, kLargeInfo, kSectionInfo, owner), "cubin.kernel",
                Section(image, kLargeInfo));
}

TEST(CubinRefusal, NamesTheSectionOfARecordThatIsMalformed) {
  const std::string image = Image();
  const std::uint64_t record = RecordAt(image, kInfo, 0x17);
  const std::string place = Section(image, kInfo);
  ExpectRefusal(WithValue(image, record, std::uint8_t{0}), "cubin.info", place);
  ExpectRefusal(WithValue(image, record, std::uint8_t{5}), "cubin.info", place);
  ExpectRefusal(WithValue(image, record + 2, std::uint16_t{8}), "cubin.info", place);
  ExpectRefusal(WithValue(image, record + 2, std::uint16_t{13}), "cubin.info", place);
  ExpectRefusal(WithValue(image, record + 2, std::uint16_t{0xfffc}), "cubin.info", place);
  ExpectRefusal(WithValue(image, RecordAt(image, ".nv.info", 0x2f) + 4, UINT32_MAX), "cubin.info",
                Section(image, ".nv.info"));
  const std::string printing = CubinData("stateful.sm_90a.cubin");
  constexpr std::string_view kPrinting = ".nv.info.printing_kernel";
  ExpectRefusal(WithValue(printing, RecordAt(printing, kPrinting, 0x0f) + 4, UINT32_MAX),
                "cubin.info", Section(printing, kPrinting));
}

TEST(CubinRefusal, NamesTheParameterThatIsMalformed) {
  const std::string image = Image();
  const std::uint64_t last = RecordAt(image, kInfo, 0x17);  // they stand in falling order
  ExpectRefusal(WithValue(image, last + 8, std::uint16_t{3}), "cubin.parameter",
                "kernels.rmsnorm_kernel.parameters[4]");
  ExpectRefusal(WithValue(image, last + 10, std::uint16_t{8}), "cubin.parameter",
                "kernels.rmsnorm_kernel.parameters[4]");
  ExpectRefusal(WithValue(image, last + 10, std::uint16_t{32760}), "cubin.parameter",
                "kernels.rmsnorm_kernel.parameters[4]");
  ExpectRefusal(WithValue(image, last + 12, 0U), "cubin.parameter",
                "kernels.rmsnorm_kernel.parameters[4]");
}

TEST(CubinRefusal, RefusesEveryTruncation) {
  for (const std::string_view name : {"rmsnorm.sm_80.cubin", "rmsnorm.sm_90a.cubin"}) {
    const std::string image = CubinData(name);
    for (std::size_t size = 0; size < image.size(); ++size) {
      EXPECT_FALSE(ReadCubin(std::string_view(image).substr(0, size)).has_value()) << size;
    }
  }
}

TEST(CubinRefusal, ReadsOrRefusesEveryFlippedBit) {
  const std::string original = CubinData("rmsnorm.sm_80.cubin");
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < original.size() * 8; ++bit) {
    std::string image = original;
    image[bit / 8] = static_cast<char>(image[bit / 8] ^ (1 << (bit % 8)));
    const auto cubin = ReadCubin(image);
    if (cubin.has_value()) continue;
    ++refused;
    EXPECT_TRUE(cubin.error().code.text().starts_with("cubin.")) << bit;
    EXPECT_FALSE(cubin.error().message.empty()) << bit;
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace cacheon::artifact
