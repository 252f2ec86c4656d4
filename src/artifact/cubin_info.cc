// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/cubin_info.h"

namespace cacheon::artifact {
namespace {

constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint64_t kRecordHeadBytes = 4;

// The least number of words that a sized record of this attribute has.
std::size_t LeastWords(std::uint8_t attribute) {
  switch (attribute) {
    case kInfoMaxThreads:
    case kInfoRequiredThreads:
    case kInfoBlocksPerCluster:
    case kInfoParameter:
    case kInfoLargeParameter:
      return 3;
    case kInfoFrameSize:
    case kInfoMinStackSize:
    case kInfoRegisterCount:
      return 2;
    case kInfoMaxClusterRank:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

Result<InfoRecord> ReadRecord(std::string_view section, std::uint64_t& offset,
                              const KeyPath& path) {
  const auto fail = [&](std::string_view what) {
    return Fail("cubin.info", fmt::format("the record at byte {} {}", offset, what), path.where());
  };
  if (section.size() - offset < kRecordHeadBytes) return fail("is cut short");
  const auto format = LoadLittle<std::uint8_t>(section, offset);
  InfoRecord record{.attribute = LoadLittle<std::uint8_t>(section, offset + 1),
                    .value = LoadLittle<std::uint16_t>(section, offset + 2)};
  if (format == 0 || format > kFormatSized) return fail("has no known format");
  std::uint64_t length = 0;
  if (format == kFormatSized) {
    length = record.value;
    if (length % kRecordHeadBytes != 0) return fail("has a length that is no multiple of four");
    if (length > section.size() - offset - kRecordHeadBytes) return fail("is cut short");
    record.bytes = section.substr(offset + kRecordHeadBytes, length);
    record.value = 0;
  }
  offset += kRecordHeadBytes + length;
  return record;
}

Status CheckInfoRecord(const InfoRecord& record, const KeyPath& path) {
  if (record.word_count() >= LeastWords(record.attribute)) return {};
  return Fail("cubin.info",
              fmt::format("a record of attribute 0x{:02x} has {} words, it needs {}",
                          record.attribute, record.word_count(), LeastWords(record.attribute)),
              path.where());
}

ParameterRecord ReadParameterRecord(const InfoRecord& record) {
  constexpr unsigned kHalfBits = 16;
  constexpr unsigned kSizeShift = 18;
  const std::uint32_t place = record.word(1);
  const std::uint32_t size = record.word(2);
  return {.ordinal = place & 0xffffU,
          .offset_bytes = place >> kHalfBits,
          .size_bytes = record.attribute == kInfoLargeParameter ? size : size >> kSizeShift};
}

}  // namespace cacheon::artifact
