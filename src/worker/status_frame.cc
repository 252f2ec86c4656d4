// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/status_frame.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "cacheon/core/utf8.h"

namespace cacheon::worker {
namespace {

constexpr std::uint32_t kMagic = 0x46574343;  // "CCWF"
constexpr std::uint16_t kVersion = 1;

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint32_t sequence;
  std::uint32_t length;
  std::uint32_t detail;
  std::uint32_t line;
  std::uint64_t reserved;
};
static_assert(sizeof(Header) + kFrameTextBytes == kFrameBytes);
static_assert(std::is_trivially_copyable_v<Header>);

bool FieldsAreValid(const Header& header) {
  if (header.magic != kMagic || header.version != kVersion || header.reserved != 0) return false;
  if (header.length > kFrameTextBytes) return false;
  switch (header.kind) {
    case static_cast<std::uint16_t>(FrameKind::kReady):
      return header.sequence == 0 && header.detail == 0 && header.line == 0;
    case static_cast<std::uint16_t>(FrameKind::kDone):
      return header.detail <= 1 && header.line == 0;
    case static_cast<std::uint16_t>(FrameKind::kError):
      return header.detail >= static_cast<std::uint32_t>(ErrorKind::kRaised) &&
             header.detail <= static_cast<std::uint32_t>(ErrorKind::kNoFile);
    default:  // a number from outside, not an enumerator of ours
      return false;
  }
}

// Makes untrusted text safe to print: control characters would steer a terminal.
std::string Printable(std::string_view text) {
  std::string safe(text);
  const bool utf8 = IsUtf8(text);
  for (char& c : safe) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kDelete = 0x7F;
    const bool control = (byte < ' ' && c != '\n' && c != '\t') || byte == kDelete;
    if (control || (!utf8 && byte > kDelete)) c = '?';
  }
  return safe;
}

}  // namespace

std::optional<StatusFrame> ParseStatusFrame(std::span<const std::byte> message) {
  if (message.size() != kFrameBytes) return std::nullopt;
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  if (!FieldsAreValid(header)) return std::nullopt;
  const auto text = message.subspan(sizeof header);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!std::ranges::all_of(text.subspan(header.length), is_zero)) return std::nullopt;
  return StatusFrame{
      .kind = static_cast<FrameKind>(header.kind),
      .sequence = header.sequence,
      .detail = header.detail,
      .line = header.line,
      .text = Printable({reinterpret_cast<const char*>(text.data()), header.length})};
}

FrameBytes EncodeStatusFrame(const StatusFrame& frame) {
  const std::size_t length = std::min(frame.text.size(), kFrameTextBytes);
  const Header header{.magic = kMagic,
                      .version = kVersion,
                      .kind = static_cast<std::uint16_t>(frame.kind),
                      .sequence = frame.sequence,
                      .length = static_cast<std::uint32_t>(length),
                      .detail = frame.detail,
                      .line = frame.line,
                      .reserved = 0};
  FrameBytes bytes{};
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, frame.text.data(), length);
  return bytes;
}

}  // namespace cacheon::worker
