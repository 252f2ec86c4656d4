// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/architecture.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kLogicalPrefix = "sm";
constexpr std::string_view kCompilerPrefix = "sm_";

// [0-9]{2,3}[a-z]?
bool IsNumber(std::string_view text) {
  if (!text.empty() && text.back() >= 'a' && text.back() <= 'z') text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view Family(std::string_view text, std::string_view prefix) {
  text.remove_prefix(prefix.size());
  while (text.ends_with('a')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool IsLogicalArchitecture(std::string_view text) {
  return text.starts_with(kLogicalPrefix) && IsNumber(text.substr(kLogicalPrefix.size()));
}

bool IsCompilerArchitecture(std::string_view text) {
  return text.starts_with(kCompilerPrefix) && IsNumber(text.substr(kCompilerPrefix.size()));
}

bool IsSameFamily(std::string_view logical, std::string_view compiler) {
  return Family(logical, kLogicalPrefix) == Family(compiler, kCompilerPrefix);
}

}  // namespace cacheon::artifact
