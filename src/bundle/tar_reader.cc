// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cacheon/bundle/archive.h"
#include "src/bundle/tar_header.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kBufferBytes = 256U << 10U;

std::unexpected<Error> Corrupt(std::string message) {
  return Fail("archive.corrupt", std::move(message), {}, "pack or fetch the archive again");
}

bool IsExtension(char type) { return type == 'x' || type == 'g' || type == 'L' || type == 'K'; }

MemberKind KindOf(const TarHeader& header) {
  switch (header.type) {
    case '\0':  // the oldest form writes a directory as a file whose name ends in '/'
      return header.name.ends_with('/') ? MemberKind::kDirectory : MemberKind::kFile;
    case '0':
    case '7':
      return MemberKind::kFile;
    case '5':
      return MemberKind::kDirectory;
    default:
      return MemberKind::kOther;
  }
}

// Takes `LENGTH KEY=VALUE\n` from the front of `records`; false when it is not well formed.
bool TakePaxRecord(std::string_view& records, std::string_view& key, std::string_view& value) {
  std::size_t length = 0;
  const auto [end, error] =
      std::from_chars(records.data(), records.data() + records.size(), length);
  if (error != std::errc() || length > records.size()) return false;
  const auto digits = static_cast<std::size_t>(end - records.data());
  if (length < digits + 2 || records[digits] != ' ' || records[length - 1] != '\n') return false;
  const std::string_view record = records.substr(digits + 1, length - digits - 2);
  const std::size_t equals = record.find('=');
  if (equals == std::string_view::npos) return false;
  key = record.substr(0, equals);
  value = record.substr(equals + 1);
  records.remove_prefix(length);
  return true;
}

}  // namespace

TarReader::TarReader(GzipReader& stream) : stream_(stream), buffer_(kBufferBytes) {}

// The next block, nullopt at the end of the stream. Blocks never straddle the buffer's end, whose
// size is a whole number of blocks and which is only refilled when it is used up.
Result<std::optional<std::span<const char>>> TarReader::ReadBlock() {
  if (begin_ == end_) {
    ASSIGN_OR_RETURN(end_, stream_.Read(buffer_));
    begin_ = 0;
    if (end_ == 0) return std::nullopt;
  }
  if (end_ - begin_ < kTarBlockBytes) return Corrupt("the tar ends in the middle of a block");
  const std::span<const char> block(buffer_.data() + begin_, kTarBlockBytes);
  begin_ += kTarBlockBytes;
  return block;
}

Result<std::span<const char>> TarReader::Content() {
  if (content_left_ == 0) return std::span<const char>();
  if (begin_ == end_) {
    ASSIGN_OR_RETURN(end_, stream_.Read(buffer_));
    begin_ = 0;
    if (end_ == 0) return Corrupt("the tar ends in the middle of a file");
  }
  const std::size_t count = std::min<std::uint64_t>(content_left_, end_ - begin_);
  const std::span<const char> content(buffer_.data() + begin_, count);
  content_left_ -= count;
  begin_ += count;
  if (content_left_ > 0) return content;
  // Padding lies in the same block as the last byte, so it is in the buffer unless the stream ends.
  if (end_ - begin_ < padding_left_) return Corrupt("the tar ends in the middle of a block");
  begin_ += padding_left_;
  return content;
}

Result<std::string> TarReader::ReadExtension(std::uint64_t size_bytes) {
  if (size_bytes > kMaxExtensionHeaderBytes) {
    return Fail("archive.extension_header",
                fmt::format("an extension header of {} bytes, at most {} are read", size_bytes,
                            kMaxExtensionHeaderBytes),
                {}, "use shorter paths");
  }
  extension_bytes_ += size_bytes;
  if (extension_bytes_ > kMaxExtensionBytes) {
    return Fail("archive.extension_total",
                fmt::format("extension headers of more than {} bytes", kMaxExtensionBytes), {},
                "use shorter paths");
  }
  content_left_ = size_bytes;
  padding_left_ = TarPadding(size_bytes);
  std::string payload;
  while (content_left_ > 0) {
    ASSIGN_OR_RETURN(const std::span<const char> part, Content());
    payload.append(part.data(), part.size());
  }
  return payload;
}

Status TarReader::TakeExtension(char type, const std::string& payload, Extensions& extensions) {
  if (type == 'K') return {};  // the target of a link, which is refused by its type
  if (type == 'L') {
    extensions.name = payload.substr(0, payload.find('\0'));
    return {};
  }
  std::string_view records = payload;
  std::string_view key;
  std::string_view value;
  while (!records.empty()) {
    if (!TakePaxRecord(records, key, value)) return Corrupt("a PAX record is not well formed");
    const bool decides = key == "path" || key == "size" || key.starts_with("GNU.sparse.");
    if (type == 'g' && decides) return Corrupt("a global header that names files");
    if (key == "path") extensions.name = value;
    extensions.sparse |= key.starts_with("GNU.sparse.");
    if (key != "size") continue;
    std::uint64_t size = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
    if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size()) {
      return Corrupt("a PAX size is no number");
    }
    extensions.size_bytes = size;
  }
  return {};
}

Result<std::optional<TarMember>> TarReader::Next() {
  while (content_left_ > 0) RETURN_IF_ERROR(Content());
  Extensions extensions;
  for (;;) {
    ASSIGN_OR_RETURN(const auto bytes, ReadBlock());
    if (!bytes) return Fail("archive.end_markers_missing", "the tar has no end");
    const auto block = bytes->first<kTarBlockBytes>();
    if (IsZero(block)) {
      if (extensions.any) return Corrupt("an extension header that nothing follows");
      RETURN_IF_ERROR(FinishStream());
      return std::nullopt;
    }
    if (++headers_ > kMaxTarHeaders) {
      return Fail("archive.too_many_headers",
                  fmt::format("more than {} tar headers", kMaxTarHeaders), {},
                  "a bundle has at most 4,096 files and folders");
    }
    const std::optional<TarHeader> header = ReadTarHeader(block);
    if (!header) return Corrupt("a tar header is damaged");
    if (IsExtension(header->type)) {
      ASSIGN_OR_RETURN(const std::string payload, ReadExtension(header->size_bytes));
      RETURN_IF_ERROR(TakeExtension(header->type, payload, extensions));
      extensions.any |= header->type != 'g';
      continue;
    }
    TarMember member{.name = extensions.name.value_or(header->name),
                     .kind = extensions.sparse ? MemberKind::kOther : KindOf(*header),
                     .size_bytes = extensions.size_bytes.value_or(header->size_bytes)};
    if (member.kind == MemberKind::kDirectory && member.size_bytes != 0) {
      return Corrupt("a directory with content");
    }
    content_left_ = member.size_bytes;
    padding_left_ = TarPadding(member.size_bytes);
    return member;
  }
}

// After the first zero block: a second one, and nothing but zeros behind it.
Status TarReader::FinishStream() {
  ASSIGN_OR_RETURN(const auto second, ReadBlock());
  if (!second) return Fail("archive.end_markers_missing", "the tar has one zero block, not two");
  const auto data_after_end = [] {
    return Fail("archive.data_after_end", "other bytes follow the end of the tar", {},
                "`cacheon pack BUNDLE` writes the right form");
  };
  if (!IsZero(*second)) return data_after_end();
  for (;;) {
    const std::span<const char> rest(buffer_.data() + begin_, end_ - begin_);
    if (!IsZero(rest)) return data_after_end();
    ASSIGN_OR_RETURN(end_, stream_.Read(buffer_));
    begin_ = 0;
    if (end_ == 0) return {};
  }
}

}  // namespace cacheon::bundle
