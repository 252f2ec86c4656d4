// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "cacheon/bundle/key_path.h"
#include "cacheon/bundle/text.h"
#include "cacheon/bundle/tree.h"
#include "src/bundle/python_text.h"

namespace cacheon::bundle {

void ReadingContext::Refuse(Code code, std::string message, Place where, std::string hint) {
  if (full()) return;
  errors.push_back(Fail(code, std::move(message), std::move(where), std::move(hint)).error());
}

void ReadingContext::Warn(Code code, std::string message, Place where, std::string hint) {
  if (options.mode == Mode::kCompat || warnings.size() >= kMaxManifestErrors) return;
  warnings.push_back(Fail(code, std::move(message), std::move(where), std::move(hint)).error());
  warnings.back().severity = Severity::kWarning;
}

TableReader::TableReader(ReadingContext& context, const Json::Object& table, std::string path,
                         std::span<const std::string_view> known_keys)
    : context_(context), table_(table), path_(std::move(path)), known_keys_(known_keys) {}

const Json* TableReader::Find(std::string_view key) const {
  const auto found = table_.find(key);
  return found == table_.end() ? nullptr : &found->second;
}

std::string TableReader::PathOf(std::string_view key) const { return JoinKey(path_, key); }

void TableReader::Refuse(Code code, std::string_view key, std::string message,
                         std::string hint) const {
  if (Find(key) == nullptr) {
    for (const std::string& unknown : UnknownKeys()) {
      if (NearestKey(unknown, known_keys_) != key) continue;
      hint = fmt::format("{} looks like a misspelling of `{}`", Quoted(unknown), key);
      break;
    }
  }
  context_.Refuse(code, std::move(message), context_.places.OfValue(PathOf(key)), std::move(hint));
}

void TableReader::Warn(Code code, std::string_view key, std::string message,
                       std::string hint) const {
  if (context_.options.mode == Mode::kCompat) return;
  context_.Warn(code, std::move(message), context_.places.OfValue(PathOf(key)), std::move(hint));
}

std::optional<std::string> TableReader::Text(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return std::string(Trim(value->as_string()));
  const std::string text = PythonText(*value);
  Warn("manifest.coerced_value", key,
       fmt::format("`{}` is no string and is read as {}", key, Quoted(text)),
       "write the value in quotes");
  return std::string(Trim(text));
}

std::vector<std::string> TableReader::Strings(std::string_view key) const {
  std::vector<std::string> strings;
  const Json* value = Find(key);
  if (value == nullptr) return strings;
  if (!value->is_array()) {
    Refuse("manifest.op_string_array_type", key, fmt::format("`{}` is a list of strings", key),
           fmt::format("write `{} = [\"...\"]`", key));
    return strings;
  }
  const Json::Array& items = value->as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view text =
        items[i].is_string() ? Trim(items[i].as_string()) : std::string_view();
    if (!text.empty()) {
      strings.emplace_back(text);
      continue;
    }
    context_.Refuse("manifest.op_string_array_item",
                    fmt::format("an item of `{}` is a string that is not blank", key),
                    context_.places.OfValue(JoinIndex(PathOf(key), i)),
                    "remove the item or write its name in quotes");
  }
  return strings;
}

std::optional<DeclaredPath> TableReader::Path(std::string_view text, const std::string& key_path,
                                              PathUse use) const {
  auto resolved = context_.root.Resolve(text, use);
  if (!resolved) {
    if (context_.full()) return std::nullopt;
    context_.errors.push_back(std::move(resolved.error()).At(context_.places.OfValue(key_path)));
    return std::nullopt;
  }
  if (context_.options.mode == Mode::kStrict && !IsCanonicalPath(text)) {
    context_.Warn("manifest.path_spelling",
                  fmt::format("{} is accepted as `{}`", Quoted(text), resolved->resolved),
                  context_.places.OfValue(key_path), "write the path in its shortest form");
  }
  return std::move(*resolved);
}

std::vector<std::string> TableReader::UnknownKeys() const {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : table_) {
    if (std::ranges::find(known_keys_, key) == known_keys_.end()) unknown.push_back(key);
  }
  return unknown;
}

std::string TableReader::Suggest(std::string_view key, std::string_view otherwise) const {
  const std::string_view nearest = NearestKey(key, known_keys_);
  return nearest.empty() ? std::string(otherwise) : fmt::format("did you mean `{}`?", nearest);
}

}  // namespace cacheon::bundle
