// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One 512-byte tar header (POSIX ustar with the GNU forms of numbers), read and written.
//
//   0 name[100]  100 mode[8]  108 uid[8]  116 gid[8]  124 size[12]  136 mtime[12]  148 checksum[8]
//   156 type  157 link name[100]  257 magic[6]  263 version[2]  265 uname[32]  297 gname[32]
//   329 devmajor[8]  337 devminor[8]  345 prefix[155]

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cacheon::bundle {

inline constexpr std::size_t kTarBlockBytes = 512;
using TarBlock = std::array<char, kTarBlockBytes>;

struct TarHeader {
  std::string name;  // prefix and name joined
  char type = '0';   // NUL is kept
  std::uint64_t size_bytes = 0;
};

// nullopt when the checksum or a number is wrong. Looks at nothing but name, type, size.
std::optional<TarHeader> ReadTarHeader(std::span<const char, kTarBlockBytes> block);

// True when every byte is zero, also of nothing.
bool IsZero(std::span<const char> bytes);

// The headers of a regular file of mode 0644, owner 0 and time 0: one block, or three and more when
// the name needs a PAX `path` record (longer than ustar takes, or not ASCII).
std::string WriteTarHeaders(std::string_view path, std::uint64_t size_bytes);

// Zeros that fill a content of this size to whole blocks.
std::size_t TarPadding(std::uint64_t size_bytes);

}  // namespace cacheon::bundle
