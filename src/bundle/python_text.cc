// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/python_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cacheon/bundle/artifact_rows.h"

namespace cacheon::bundle {
namespace {

// Python's repr: the shortest digits that read back, in plain form for exponents -4 to 15.
std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto scientific =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string text(buffer, scientific.ptr);
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  constexpr int kLeastPlain = -4;
  constexpr int kLeastScientific = 16;
  if (exponent < kLeastPlain || exponent >= kLeastScientific) return text;
  const auto plain =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed);
  text.assign(buffer, plain.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string StringRepr(const std::string& text) {
  const bool double_quotes =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string repr(1, quote);
  for (const char c : text) {
    if (c == '\\' || c == quote) {
      repr.append(1, '\\').append(1, c);
    } else if (c == '\n') {
      repr += "\\n";
    } else if (c == '\r') {
      repr += "\\r";
    } else if (c == '\t') {
      repr += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      repr += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      repr += c;
    }
  }
  return repr + quote;
}

std::string Repr(const Json& value) {
  return value.is_string() ? StringRepr(value.as_string()) : PythonText(value);
}

std::string ArrayText(const Json::Array& items) {
  std::string text;
  for (const Json& item : items) text += (text.empty() ? "" : ", ") + Repr(item);
  return '[' + text + ']';
}

std::string ObjectText(const Json::Object& members) {
  std::string text;
  for (const auto& [key, member] : members) {
    text += (text.empty() ? "" : ", ") + StringRepr(key) + ": " + Repr(member);
  }
  return '{' + text + '}';
}

}  // namespace

std::string PythonText(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_int64()) return std::to_string(value.as_int64());
  if (value.is_integer()) return value.as_big_integer().decimal;
  if (value.is_float()) return FloatText(value.as_float());
  if (value.is_array()) return ArrayText(value.as_array());
  if (const Json* date = value.Find(kTomlDateKey); date != nullptr && date->is_string()) {
    return date->as_string();
  }
  return ObjectText(value.as_object());
}

}  // namespace cacheon::bundle
