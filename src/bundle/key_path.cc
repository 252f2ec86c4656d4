// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/key_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cacheon::bundle {
namespace {

bool IsBareKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Takes `"..."` from the front of `rest`.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  std::string key;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return key;
    }
    if (rest[i] == '\\' && ++i == rest.size()) return std::nullopt;
    key += rest[i];
  }
  return std::nullopt;
}

// Takes `[12]` from the front of `rest`.
std::optional<std::size_t> TakeIndex(std::string_view& rest) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ']') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return index;
}

std::optional<std::string> TakeKey(std::string_view& rest) {
  if (rest.starts_with('"')) return TakeQuoted(rest);
  const auto end = std::ranges::find_if_not(rest, IsBareKeyCharacter);
  const auto length = static_cast<std::size_t>(end - rest.begin());
  if (length == 0) return std::nullopt;
  std::string key(rest.substr(0, length));
  rest.remove_prefix(length);
  return key;
}

}  // namespace

std::string JoinKey(std::string_view path, std::string_view key) {
  std::string joined(path);
  if (!joined.empty()) joined += '.';
  if (!key.empty() && std::ranges::all_of(key, IsBareKeyCharacter)) return joined.append(key);
  joined += '"';
  for (const char c : key) {
    if (c == '"' || c == '\\') joined += '\\';
    joined += c;
  }
  return joined += '"';
}

std::string JoinIndex(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::optional<std::vector<KeyStep>> SplitKeyPath(std::string_view path) {
  std::vector<KeyStep> steps;
  while (!path.empty()) {
    if (path.starts_with('[')) {
      const auto index = TakeIndex(path);
      if (!index) return std::nullopt;
      steps.emplace_back(*index);
      continue;
    }
    if (!steps.empty()) {
      if (!path.starts_with('.')) return std::nullopt;
      path.remove_prefix(1);
    }
    auto key = TakeKey(path);
    if (!key) return std::nullopt;
    steps.emplace_back(std::move(*key));
  }
  return steps;
}

}  // namespace cacheon::bundle
