// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/publication_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cacheon/artifact/limits.h"

namespace cacheon::artifact {
namespace {

constexpr std::size_t kMaxComponentBytes = 255;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWord(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

bool IsComponent(std::string_view name) {
  constexpr std::string_view kMarks = "._+@=,-[] ";
  return !name.empty() && name.size() <= kMaxComponentBytes && IsWord(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return IsWord(c) || kMarks.find(c) != std::string_view::npos; });
}

// _{1,2}[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_+-]+)*\.(py|so)
bool IsModuleLeaf(std::string_view name) {
  const std::size_t underscores = std::min(name.find_first_not_of('_'), name.size());
  if (underscores < 1 || underscores > 2) return false;
  if (!name.ends_with(".py") && !name.ends_with(".so")) return false;
  name.remove_prefix(underscores);
  name.remove_suffix(3);
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view stem = name.substr(0, dot);
  if (stem.empty() || !IsLetter(stem[0])) return false;
  if (!std::ranges::all_of(stem, [](char c) { return IsWord(c) || c == '_'; })) return false;
  std::string_view tags = name.substr(dot);
  while (!tags.empty()) {
    tags.remove_prefix(1);
    const std::string_view tag = tags.substr(0, tags.find('.'));
    const bool good = !tag.empty() && std::ranges::all_of(tag, [](char c) {
      return IsWord(c) || c == '_' || c == '+' || c == '-';
    });
    if (!good) return false;
    tags.remove_prefix(tag.size());
  }
  return true;
}

Place At(std::string_view path) { return {.file = std::string(path)}; }

}  // namespace

Status CheckPublicationPath(std::string_view path, PathLeaf leaf) {
  if (path.empty() || path.front() == '/') {
    return Fail("np.path", "a publication's path is relative and not empty", At(path));
  }
  if (path.size() > kMaxPublicationPathBytes) {
    return Fail(
        "np.len",
        fmt::format("a path has at most {} bytes, not {}", kMaxPublicationPathBytes, path.size()),
        At(path));
  }
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= path.size(); ++depth) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    const bool is_file = leaf == PathLeaf::kFile && end == path.size();
    if (!IsComponent(name) && !(is_file && IsModuleLeaf(name))) {
      return Fail("np.component", fmt::format("`{}` is no name inside a publication", name),
                  At(path));
    }
    begin = end + 1;
  }
  if (depth > kMaxPublicationPathDepth) {
    return Fail("np.depth",
                fmt::format("a path has at most {} parts, not {}", kMaxPublicationPathDepth, depth),
                At(path));
  }
  return {};
}

}  // namespace cacheon::artifact
