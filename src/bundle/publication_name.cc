// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/publication_name.h"

#include <algorithm>

#include "cacheon/bundle/text.h"
#include "cacheon/bundle/tree.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kMaxComponentBytes = 255;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAlphanumeric(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

// [A-Za-z0-9][A-Za-z0-9._+@=,\-\[\] ]{0,254}
bool IsPlainComponent(std::string_view name) {
  const auto allowed = [](char c) {
    return IsAlphanumeric(c) || std::string_view("._+@=,-[] ").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kMaxComponentBytes && IsAlphanumeric(name[0]) &&
         std::ranges::all_of(name, allowed);
}

// _{1,2}[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_+-]+)*\.(py|so)
bool IsUnderscoreModule(std::string_view name) {
  if (!name.ends_with(".py") && !name.ends_with(".so")) return false;
  name.remove_suffix(3);
  const std::size_t underscores = std::min(name.find_first_not_of('_'), name.size());
  if (underscores < 1 || underscores > 2) return false;
  name.remove_prefix(underscores);
  const std::string_view stem = name.substr(0, name.find('.'));
  const auto in_stem = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  if (stem.empty() || !IsLetter(stem[0]) || !std::ranges::all_of(stem, in_stem)) return false;
  for (std::string_view rest = name.substr(stem.size()); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view suffix = rest.substr(0, rest.find('.'));
    const auto in_suffix = [](char c) {
      return IsAlphanumeric(c) || c == '_' || c == '+' || c == '-';
    };
    if (suffix.empty() || !std::ranges::all_of(suffix, in_suffix)) return false;
    rest.remove_prefix(suffix.size());
  }
  return true;
}

bool IsPublishable(std::string_view path) {
  if (path.size() > kMaxPublicationPathBytes || IsExcludedPath(path)) return false;
  std::size_t components = 1;
  for (std::string_view rest = path;; ++components) {
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    if (!IsPlainComponent(name) && !(last && IsUnderscoreModule(name))) return false;
    if (IsExcludedPath(name)) return false;  // noise names of directories, too
    if (last) return components <= kMaxPublicationComponents;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Status CheckPublicationPath(std::string_view path) {
  if (IsPublishable(path)) return {};
  return Fail("publish.path", Quoted(path) + " cannot be published to workers",
              {.file = std::string(path)},
              "use ASCII letters, digits and `._+@=,-[] `, starting with a letter or digit");
}

}  // namespace cacheon::bundle
