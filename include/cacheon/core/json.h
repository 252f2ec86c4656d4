// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A JSON value that keeps what identities need: integers of any size, integers apart from floats,
// and object keys in code-point order, so that canonical bytes are a plain walk over the value.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cacheon {

struct Error;

class Json {
 public:
  using Array = std::vector<Json>;
  // UTF-8 byte order is code-point order, so the map is already in canonical order.
  using Object = std::map<std::string, Json, std::less<>>;
  // An integer outside int64, in decimal: optional '-', no leading zero.
  struct BigInteger {
    std::string decimal;
    friend bool operator==(const BigInteger&, const BigInteger&) = default;
  };

  Json() = default;  // null
  // Implicit on purpose: documents are written as nested braces.
  // NOLINTBEGIN(google-explicit-constructor)
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <std::integral T>
    requires((!std::same_as<T, bool> && sizeof(T) < 8) || std::signed_integral<T>)
  Json(T value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::uint64_t value);  // becomes a BigInteger above int64
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  Json(BigInteger value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  // True for int64 and for BigInteger; never for bool or a float.
  bool is_integer() const { return is_int64() || std::holds_alternative<BigInteger>(value_); }
  bool is_int64() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_float() const { return std::holds_alternative<double>(value_); }
  bool is_number() const { return is_integer() || is_float(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Each requires the matching is_...(); a mismatch is a bug of the caller (CACHEON_CHECK).
  bool as_bool() const;
  std::int64_t as_int64() const;
  const BigInteger& as_big_integer() const;
  double as_float() const;
  double as_double() const;  // any number; a BigInteger is rounded
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  // The member with this key, or nullptr when this is no object or has none.
  const Json* Find(std::string_view key) const;
  // Makes an object of null; adds the key when it is absent.
  Json& operator[](std::string_view key);
  // Makes an array of null.
  void Append(Json value);

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, BigInteger, double, std::string, Array, Object>
      value_;
};

// What a reader accepts. The limits are enforced while reading, before memory is taken.
struct JsonReadOptions {
  std::size_t max_bytes = 64U << 20U;
  int max_depth = 128;
  std::size_t max_values = 4'000'000;
  bool allow_duplicate_keys = false;  // true: the last one counts, as in Python's reader
};

// Reads one JSON text (RFC 8259, without a byte order mark). Codes, with line and column:
// json.syntax, json.depth, json.too_large (without them when the text is longer than max_bytes),
// json.duplicate_key.
std::expected<Json, Error> ReadJson(std::string_view text, const JsonReadOptions& options = {});

// Canonical JSON of identities: UTF-8, no white space, keys by code point, non-ASCII raw, integers
// in decimal. A float anywhere is `identity.float`; text that is not UTF-8 is `identity.not_utf8`;
// both name the key path.
std::expected<std::string, Error> CanonicalJson(const Json& value);

// The same bytes for documents that may hold measurements: a finite float is written in the
// shortest form that reads back to the same double (always with '.' or 'e'), others as "nan",
// "inf", "-inf". A malformed byte of a string becomes U+FFFD, so that the document is always JSON.
std::string DocumentJson(const Json& value);

// DocumentJson with two-space indentation, for people.
std::string PrettyJson(const Json& value);

// Lower-case hexadecimal SHA-256 of CanonicalJson({"domain","payload","schema_version"}). Codes as
// for CanonicalJson, and identity.domain, identity.schema_version (below 1).
std::expected<std::string, Error> DomainDigest(std::string_view domain, const Json& payload,
                                               std::int64_t schema_version = 1);

}  // namespace cacheon
