// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The rules that packing and extraction share.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cacheon/bundle/archive.h"
#include "cacheon/bundle/text.h"
#include "cacheon/bundle/tree.h"
#include "cacheon/core/utf8.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kMaxNameBytes = 255;  // of one component on disk

bool IsMemberPath(std::string_view path) {
  const auto forbidden = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == '\\';
  };
  if (!IsUtf8(path) || std::ranges::any_of(path, forbidden)) return false;
  int depth = 0;
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    if (component.empty() || component == "." || component == ".." ||
        component.size() > kMaxNameBytes || ++depth > kMaxTreeDepth) {
      return false;
    }
    if (slash == std::string_view::npos) return true;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

bool IsInspectable(std::string_view path) {
  static constexpr auto kSuffixes =
      std::to_array<std::string_view>({".py", ".cu", ".cuh", ".patch", ".diff", ".toml", ".json"});
  return std::ranges::find(kSuffixes, PathSuffix(path)) != kSuffixes.end();
}

Status CheckMemberPath(std::string_view path) {
  if (!IsMemberPath(path)) {
    return Fail("archive.member_path", Quoted(path) + " is no path that an archive may have",
                {.file = std::string(path)},
                "relative, UTF-8, with '/', without `.`, `..`, backslash and control characters");
  }
  if (IsExcludedPath(path)) {
    return Fail("archive.member_excluded", Quoted(path) + " is no part of a bundle's identity",
                {.file = std::string(path)},
                "leave `__pycache__`, `.git`, `.pyc`, `.pyo` and `._*` out");
  }
  return {};
}

Status SizeBudget::Add(std::string_view path, std::uint64_t size_bytes) {
  const Place where{.file = std::string(path)};
  const std::string sized = fmt::format("{} has {} bytes", Quoted(path), size_bytes);
  if (size_bytes > kMaxFileBytes) {
    return Fail("archive.file_too_large",
                fmt::format("{}, at most {} are taken", sized, kMaxFileBytes), where,
                "a bundle is source text; generate data when the kernel is prepared");
  }
  const bool inspectable = IsInspectable(path);
  if (inspectable && size_bytes > kMaxInspectableFileBytes) {
    return Fail(
        "archive.inspectable_file_too_large",
        fmt::format("{}, at most {} are taken of a source", sized, kMaxInspectableFileBytes), where,
        "split the source");
  }
  if (inspectable) inspectable_ += size_bytes;
  if (inspectable_ > kMaxInspectableBytes) {
    return Fail("archive.inspectable_total",
                fmt::format("sources of more than {} bytes in all", kMaxInspectableBytes), where,
                "leave generated sources out");
  }
  total_ += size_bytes;
  if (total_ > kMaxExtractedBytes) {
    return Fail("archive.total_size",
                fmt::format("files of more than {} bytes in all", kMaxExtractedBytes), where,
                "a bundle is source text; remove data and binaries");
  }
  return {};
}

}  // namespace cacheon::bundle
