// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "cacheon/artifact/limits.h"

namespace cacheon::artifact {
namespace {

constexpr std::size_t kSpelledBytes = 60;

constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsPart(std::string_view part) {
  constexpr std::size_t kLongestPart = 64;
  return !part.empty() && part.size() <= kLongestPart && IsLower(part[0]) &&
         std::ranges::all_of(part, [](char c) { return IsLower(c) || IsDigit(c) || c == '_'; });
}

}  // namespace

std::optional<FieldProblem> FindFieldProblem(const Json::Object& table,
                                             std::span<const std::string_view> required,
                                             std::span<const std::string_view> optional) {
  const auto hint = [&] {
    std::string text = fmt::format("required keys: {}", fmt::join(required, ", "));
    if (!optional.empty()) text += fmt::format("; optional keys: {}", fmt::join(optional, ", "));
    return text;
  };
  std::size_t found = 0;
  for (const auto& [key, value] : table) {
    if (Contains(required, key)) {
      ++found;
    } else if (!Contains(optional, key)) {
      return FieldProblem{fmt::format("unknown key `{}`", key.substr(0, kSpelledBytes)), hint()};
    }
  }
  if (found == required.size()) return std::nullopt;
  const auto missing =
      std::ranges::find_if(required, [&](std::string_view key) { return !table.contains(key); });
  return FieldProblem{fmt::format("missing key `{}`", *missing), hint()};
}

const Json* Present(const Json& table, std::string_view key) {
  const Json* value = table.Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::int64_t> ExactInteger(const Json* value, std::int64_t minimum,
                                         std::int64_t maximum) {
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  const std::int64_t number = value->as_int64();
  if (number < minimum || number > maximum) return std::nullopt;
  return number;
}

std::string_view TextOf(const Json* value) {
  return value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                : std::string_view();
}

std::string Spell(const Json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_array()) return "a list";
  if (value->is_object()) return "a table";
  std::string text = DocumentJson(*value);
  if (text.size() > kSpelledBytes) text = text.substr(0, kSpelledBytes) + "...";
  return text;
}

std::string JoinNames(std::span<const std::string_view> names) {
  if (names.size() < 2) return names.empty() ? std::string() : std::string(names[0]);
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

std::optional<std::size_t> IndexOf(std::span<const std::string_view> names, const Json* value) {
  const auto found = std::ranges::find(names, TextOf(value));
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

bool IsArtifactId(std::string_view text, std::size_t limit) {
  const auto word = [](char c) { return IsLower(c) || IsDigit(c); };
  return !text.empty() && text.size() <= limit && word(text[0]) &&
         std::ranges::all_of(text,
                             [&](char c) { return word(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsResourceName(std::string_view text, std::span<const std::string_view> prefixes,
                    int minimum_parts) {
  constexpr int kMostParts = 3;
  std::size_t dot = text.find('.');
  if (!Contains(prefixes, text.substr(0, dot))) return false;
  int parts = 0;
  while (dot != std::string_view::npos) {
    text.remove_prefix(dot + 1);
    dot = text.find('.');
    if (!IsPart(text.substr(0, dot)) || ++parts > kMostParts) return false;
  }
  return parts >= minimum_parts;
}

bool IsSourceName(std::string_view text) {
  static constexpr std::string_view kPrefixes[] = {"input", "output", "workspace", "prepared",
                                                   "state", "group",  "stream"};
  return IsResourceName(text, kPrefixes, 0);
}

bool IsKernelName(std::string_view text) {
  const auto first = [](char c) {
    return IsLower(c) || IsUpper(c) || c == '_' || c == '.' || c == '$';
  };
  return !text.empty() && text.size() <= kMaxKernelNameBytes && first(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return first(c) || IsDigit(c) || c == '@'; });
}

}  // namespace cacheon::artifact
