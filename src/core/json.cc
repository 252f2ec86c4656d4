// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/json.h"
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cacheon/core/result.h"

namespace cacheon {

Json::Json(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = BigInteger{std::to_string(value)};
  }
}

bool Json::as_bool() const {
  CACHEON_CHECK(is_bool(), "a JSON value is not a bool");
  return std::get<bool>(value_);
}

std::int64_t Json::as_int64() const {
  CACHEON_CHECK(is_int64(), "a JSON value is not a 64-bit integer");
  return std::get<std::int64_t>(value_);
}

const Json::BigInteger& Json::as_big_integer() const {
  CACHEON_CHECK(std::holds_alternative<BigInteger>(value_), "a JSON value is not a big integer");
  return std::get<BigInteger>(value_);
}

double Json::as_float() const {
  CACHEON_CHECK(is_float(), "a JSON value is not a float");
  return std::get<double>(value_);
}

double Json::as_double() const {
  CACHEON_CHECK(is_number(), "a JSON value is not a number");
  if (is_float()) return as_float();
  if (is_int64()) return static_cast<double>(as_int64());
  return std::strtod(as_big_integer().decimal.c_str(), nullptr);
}

const std::string& Json::as_string() const {
  CACHEON_CHECK(is_string(), "a JSON value is not a string");
  return std::get<std::string>(value_);
}

const Json::Array& Json::as_array() const {
  CACHEON_CHECK(is_array(), "a JSON value is not an array");
  return std::get<Array>(value_);
}

Json::Array& Json::as_array() {
  CACHEON_CHECK(is_array(), "a JSON value is not an array");
  return std::get<Array>(value_);
}

const Json::Object& Json::as_object() const {
  CACHEON_CHECK(is_object(), "a JSON value is not an object");
  return std::get<Object>(value_);
}

Json::Object& Json::as_object() {
  CACHEON_CHECK(is_object(), "a JSON value is not an object");
  return std::get<Object>(value_);
}

const Json* Json::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const Object& object = as_object();
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object{};
  return as_object()[std::string(key)];
}

void Json::Append(Json value) {
  if (is_null()) value_ = Array{};
  as_array().push_back(std::move(value));
}

}  // namespace cacheon
