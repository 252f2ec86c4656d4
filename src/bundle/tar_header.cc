// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cacheon::bundle {
namespace {

struct Field {
  std::size_t offset;
  std::size_t length;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUid{108, 8};
constexpr Field kGid{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kMtime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kMagic{257, 8};  // with the version
constexpr Field kPrefix{345, 155};
constexpr std::size_t kType = 156;

std::string_view FieldOf(std::span<const char, kTarBlockBytes> block, Field field) {
  return {block.data() + field.offset, field.length};
}

std::string_view TextOf(std::span<const char, kTarBlockBytes> block, Field field) {
  const std::string_view text = FieldOf(block, field);
  return text.substr(0, text.find('\0'));
}

// Octal with spaces around and a NUL or space at the end, or GNU's base 256 (first bit set).
std::optional<std::uint64_t> NumberOf(std::string_view field) {
  std::uint64_t value = 0;
  const auto first = static_cast<unsigned char>(field[0]);
  if (first == 0x80) {
    for (const char c : field.substr(1)) {
      if (value >> 56U != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  field = field.substr(0, field.find('\0'));
  while (field.starts_with(' ')) field.remove_prefix(1);
  while (field.ends_with(' ')) field.remove_suffix(1);
  for (const char c : field) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3U | static_cast<unsigned>(c - '0');
  }
  return value;
}

// The sum of all bytes with the checksum field taken as spaces; as unsigned and as signed bytes,
// which some old writers used.
bool ChecksumHolds(std::span<const char, kTarBlockBytes> block) {
  const auto stored = NumberOf(FieldOf(block, kChecksum));
  if (!stored) return false;
  std::int64_t as_unsigned = 0;
  std::int64_t as_signed = 0;
  for (std::size_t i = 0; i < kTarBlockBytes; ++i) {
    const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.length;
    const char c = own ? ' ' : block[i];
    as_unsigned += static_cast<unsigned char>(c);
    as_signed += static_cast<signed char>(c);
  }
  const auto sum = static_cast<std::int64_t>(*stored);
  return sum == as_unsigned || sum == as_signed;
}

void Put(TarBlock& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.length),
              block.begin() + static_cast<std::ptrdiff_t>(field.offset));
}

void PutOctal(TarBlock& block, Field field, std::uint64_t value) {
  Put(block, field, fmt::format("{:0{}o}", value, field.length - 1));
}

void AppendHeader(std::string& out, std::string_view prefix, std::string_view name, char type,
                  std::uint64_t size_bytes) {
  constexpr unsigned kFileMode = 0644;
  TarBlock block{};
  Put(block, kName, name);
  PutOctal(block, kMode, kFileMode);
  PutOctal(block, kUid, 0);
  PutOctal(block, kGid, 0);
  PutOctal(block, kSize, size_bytes);
  PutOctal(block, kMtime, 0);
  Put(block, kChecksum, "        ");
  block[kType] = type;
  Put(block, kMagic, std::string_view("ustar\00000", 8));
  Put(block, kPrefix, prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  Put(block, kChecksum, fmt::format("{:06o}", sum));
  block[kChecksum.offset + 6] = '\0';
  out.append(block.data(), block.size());
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
}

// Where a path is cut into prefix and name: the first '/' that leaves a name that fits; nullopt
// when none does.
std::optional<std::size_t> SplitForUstar(std::string_view path) {
  const std::size_t from = path.size() - kName.length - 1;
  const std::size_t slash = path.find('/', from);
  if (slash == std::string_view::npos || slash == 0 || slash > kPrefix.length ||
      slash + 1 == path.size()) {
    return std::nullopt;
  }
  return slash;
}

// `LENGTH path=VALUE\n`, where LENGTH counts itself.
std::string PaxPathRecord(std::string_view path) {
  const std::size_t rest = path.size() + std::string_view(" path=\n").size();
  std::size_t length = rest + 1;
  while (fmt::formatted_size("{}", length) + rest != length) ++length;
  return fmt::format("{} path={}\n", length, path);
}

}  // namespace

std::optional<TarHeader> ReadTarHeader(std::span<const char, kTarBlockBytes> block) {
  if (!ChecksumHolds(block)) return std::nullopt;
  const auto size = NumberOf(FieldOf(block, kSize));
  if (!size) return std::nullopt;
  TarHeader header{
      .name = std::string(TextOf(block, kName)), .type = block[kType], .size_bytes = *size};
  const std::string_view prefix = TextOf(block, kPrefix);
  const bool gnu_type = header.type == 'L' || header.type == 'K' || header.type == 'S';
  if (!prefix.empty() && !gnu_type) header.name = std::string(prefix) + '/' + header.name;
  return header;
}

// Zero at the front and each byte equal to the next.
bool IsZero(std::span<const char> bytes) {
  return bytes.empty() ||
         (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

std::string WriteTarHeaders(std::string_view path, std::uint64_t size_bytes) {
  std::string headers;
  if (IsAscii(path) && path.size() <= kName.length) {
    AppendHeader(headers, "", path, '0', size_bytes);
    return headers;
  }
  if (const auto cut = IsAscii(path) ? SplitForUstar(path) : std::nullopt) {
    AppendHeader(headers, path.substr(0, *cut), path.substr(*cut + 1), '0', size_bytes);
    return headers;
  }
  const std::string record = PaxPathRecord(path);
  AppendHeader(headers, "", "././@PaxHeader", 'x', record.size());
  headers += record;
  headers.append(TarPadding(record.size()), '\0');
  // The record decides; the field is for readers that do not know it.
  std::string fallback(path.substr(0, kName.length));
  std::ranges::replace_if(fallback, [](char c) { return (c & 0x80) != 0; }, '?');
  AppendHeader(headers, "", fallback, '0', size_bytes);
  return headers;
}

std::size_t TarPadding(std::uint64_t size_bytes) {
  return static_cast<std::size_t>((kTarBlockBytes - size_bytes % kTarBlockBytes) % kTarBlockBytes);
}

}  // namespace cacheon::bundle
