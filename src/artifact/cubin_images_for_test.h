// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CUBINs of tests/data/cubin, whole or with bytes changed.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "cacheon/core/unique_fd.h"

namespace cacheon::artifact {

// A file of tests/data/cubin.
inline std::string CubinData(std::string_view name) {
  const std::string path = std::string(CACHEON_SOURCE_DIR "/tests/data/cubin/").append(name);
  return ReadFile(path, 1U << 20U).value();
}

template <typename T>
T LoadAt(std::string_view image, std::uint64_t offset) {
  T value = 0;
  std::memcpy(&value, image.data() + offset, sizeof(value));
  return value;
}

// `image` with the bytes of `value` at `offset`.
template <typename T>
std::string WithValue(std::string image, std::uint64_t offset, T value) {
  std::memcpy(image.data() + offset, &value, sizeof(value));
  return image;
}

// Where the header of section `index` lies in the file.
inline std::uint64_t SectionHeaderAt(std::string_view image, std::uint64_t index) {
  return LoadAt<std::uint64_t>(image, 40) + index * 64;
}

// The first section with this name; fails the test when there is none.
inline std::uint64_t SectionIndex(std::string_view image, std::string_view name) {
  const auto names = SectionHeaderAt(image, LoadAt<std::uint16_t>(image, 62));
  const auto table = LoadAt<std::uint64_t>(image, names + 24);
  for (std::uint64_t i = 0; i < LoadAt<std::uint16_t>(image, 60); ++i) {
    const auto at = table + LoadAt<std::uint32_t>(image, SectionHeaderAt(image, i));
    if (image.data() + at == name) return i;
  }
  ADD_FAILURE() << "no section is called " << name;
  return 0;
}

// Where the bytes of the section with this name lie in the file.
inline std::uint64_t SectionBytesAt(std::string_view image, std::string_view name) {
  return LoadAt<std::uint64_t>(image, SectionHeaderAt(image, SectionIndex(image, name)) + 24);
}

// Where the first record of an attribute lies in the section with this name.
inline std::uint64_t RecordAt(std::string_view image, std::string_view section,
                              std::uint8_t attribute) {
  const std::uint64_t header = SectionHeaderAt(image, SectionIndex(image, section));
  const std::uint64_t begin = LoadAt<std::uint64_t>(image, header + 24);
  const std::uint64_t size = LoadAt<std::uint64_t>(image, header + 32);
  for (std::uint64_t at = begin; at < begin + size;) {
    if (LoadAt<std::uint8_t>(image, at + 1) == attribute) return at;
    at += 4;
    if (LoadAt<std::uint8_t>(image, at - 4) == 4) at += LoadAt<std::uint16_t>(image, at - 2);
  }
  ADD_FAILURE() << section << " has no record " << int{attribute};
  return 0;
}

// Where the entry of the symbol with this name lies in the file.
inline std::uint64_t SymbolAt(std::string_view image, std::string_view name) {
  const std::uint64_t table = SectionHeaderAt(image, SectionIndex(image, ".symtab"));
  const std::uint64_t begin = LoadAt<std::uint64_t>(image, table + 24);
  const std::uint64_t end = begin + LoadAt<std::uint64_t>(image, table + 32);
  const std::uint64_t names = SectionBytesAt(image, ".strtab");
  for (std::uint64_t at = begin; at < end; at += 24) {
    if (image.data() + names + LoadAt<std::uint32_t>(image, at) == name) return at;
  }
  ADD_FAILURE() << "no symbol is called " << name;
  return 0;
}

}  // namespace cacheon::artifact
