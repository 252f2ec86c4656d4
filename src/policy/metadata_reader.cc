// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a metadata file. The published implementation reads it with Python's json module,
// which takes three words that JSON does not have and keeps the last of equal keys.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cacheon/bundle/key_path.h"
#include "cacheon/bundle/text.h"
#include "cacheon/core/utf8.h"
#include "cacheon/policy/eligibility.h"

namespace cacheon::policy {
namespace {

// A word of Python's reader and a float of the same length, which is refused wherever the word
// would be and keeps the places of what follows.
struct NonFinite {
  std::string_view word;
  std::string_view stand_in;
};
constexpr NonFinite kNonFinite[] = {
    {"NaN", "0.0"}, {"Infinity", "0.000000"}, {"-Infinity", "-0.000000"}};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::array<std::string_view, 8> kKnownKeys = {
    "architectures", "capabilities",   "dtypes",         "graph_safe",
    "max_last_dim",  "max_num_tokens", "min_num_tokens", "quant"};

bool IsDelimiter(char c) { return std::string_view(" \t\r\n,:[]{}").contains(c); }

// The end of the string literal whose opening quote is at `begin`.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// Replaces the words outside string literals that stand alone; true when there were any.
bool ReplaceNonFinite(std::string& text) {
  bool replaced = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = EndOfString(text, i);
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && text[end] != '"' && !IsDelimiter(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(i, end - i);
    const auto* found = std::ranges::find(kNonFinite, word, &NonFinite::word);
    if (found != std::end(kNonFinite) && (end == text.size() || text[end] != '"')) {
      text.replace(i, word.size(), found->stand_in);
      replaced = true;
    }
    i = std::max(end, i + 1);
  }
  return replaced;
}

Error Warning(Code code, std::string message, Place where = {}) {
  Error error{.code = code, .message = std::move(message), .where = std::move(where)};
  error.severity = Severity::kWarning;
  return error;
}

void WarnOfUnknownKeys(const Json& value, std::vector<Error>& warnings) {
  if (!value.is_object()) return;
  for (const auto& [key, unused] : value.as_object()) {
    if (std::ranges::find(kKnownKeys, key) != kKnownKeys.end()) continue;
    const std::string_view nearest = bundle::NearestKey(key, kKnownKeys);
    warnings.push_back(
        Warning("elig.unknown_key",
                fmt::format("key {} has no meaning and is ignored", bundle::Quoted(key)),
                {.key_path = bundle::JoinKey({}, key)}));
    warnings.back().hint = nearest.empty()
                               ? fmt::format("known keys: {}", fmt::join(kKnownKeys, ", "))
                               : fmt::format("did you mean `{}`?", nearest);
  }
}

}  // namespace

Result<Metadata> ReadMetadata(std::string_view text) {
  if (!IsUtf8(text)) return Fail("elig.metadata_json", "the metadata is not UTF-8");
  if (text.starts_with(kByteOrderMark)) {
    return Fail("elig.metadata_json", "the metadata starts with a byte order mark",
                {.line = 1, .column = 1}, "save the file as UTF-8 without one");
  }
  Metadata metadata;
  std::string finite(text);
  if (ReplaceNonFinite(finite)) {
    metadata.warnings.push_back(
        Warning("elig.non_finite", "the metadata holds NaN or Infinity, which JSON does not have"));
  }
  JsonReadOptions options{.max_bytes = kMaxMetadataBytes};
  Result<Json> value = ReadJson(finite, options);
  if (!value && value.error().code == Code("json.duplicate_key")) {
    metadata.warnings.push_back(Warning("elig.duplicate_key",
                                        value.error().message + ", the last one counts",
                                        value.error().where));
    options.allow_duplicate_keys = true;
    value = ReadJson(finite, options);
  }
  if (!value) {
    return Fail("elig.metadata_json",
                fmt::format("the metadata cannot be read: {}", value.error().message),
                value.error().where);
  }
  metadata.value = *std::move(value);
  WarnOfUnknownKeys(metadata.value, metadata.warnings);
  return metadata;
}

}  // namespace cacheon::policy
