// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/key_path.h"

#include <algorithm>

namespace cacheon::artifact {
namespace {

bool IsBareKey(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

void AppendQuoted(std::string_view key, std::string& text) {
  text += '"';
  for (const char c : key) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

}  // namespace

std::string KeyPath::Text() const {
  if (parent_ == nullptr) return std::string(key_);
  std::string text = parent_->Text();
  if (index_ >= 0) {
    text += '[' + std::to_string(index_) + ']';
    return text;
  }
  if (!text.empty()) text += '.';
  if (IsBareKey(key_)) {
    text += key_;
  } else {
    AppendQuoted(key_, text);
  }
  return text;
}

}  // namespace cacheon::artifact
