// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/sha256.h"
#include "cacheon/core/utf8.h"

namespace cacheon {
namespace {

void WriteString(std::string& out, std::string_view text) {
  if (!IsUtf8(text)) return WriteString(out, ReplaceMalformed(text));
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void WriteFloat(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"nan\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    const std::string_view text(buffer, end);
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

// Writes a value; `indent` < 0 means no white space.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void Write(const Json& value, int depth) {
    if (value.is_null()) {
      out += "null";
    } else if (value.is_bool()) {
      out += value.as_bool() ? "true" : "false";
    } else if (value.is_int64()) {
      out += std::to_string(value.as_int64());
    } else if (value.is_integer()) {
      out += value.as_big_integer().decimal;
    } else if (value.is_float()) {
      WriteFloat(out, value.as_float());
    } else if (value.is_string()) {
      WriteString(out, value.as_string());
    } else if (value.is_array()) {
      WriteArray(value.as_array(), depth);
    } else {
      WriteObject(value.as_object(), depth);
    }
  }

  std::string out;

 private:
  void Break(int depth) {
    if (indent_ < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth), ' ');
  }

  void WriteArray(const Json::Array& array, int depth) {
    out += '[';
    bool first = true;
    for (const Json& item : array) {
      if (!first) out += ',';
      first = false;
      Break(depth + 1);
      Write(item, depth + 1);
    }
    if (!first) Break(depth);
    out += ']';
  }

  void WriteObject(const Json::Object& object, int depth) {
    out += '{';
    bool first = true;
    for (const auto& [key, item] : object) {
      if (!first) out += ',';
      first = false;
      Break(depth + 1);
      WriteString(out, key);
      out += indent_ < 0 ? ":" : ": ";
      Write(item, depth + 1);
    }
    if (!first) Break(depth);
    out += '}';
  }

  int indent_;
};

// Puts a step before the key path of an error that comes from below it.
std::unexpected<Error> Within(std::string step, Error error) {
  std::string& path = error.where.key_path;
  if (!path.empty() && path.front() != '[') step += '.';
  path.insert(0, step);
  return Fail(std::move(error));
}

// Why a value has no canonical form.
Status CheckCanonical(const Json& value) {
  if (value.is_float()) {
    return Fail("identity.float", "identities hold no floating-point numbers", {},
                "write the number as an integer or as a decimal string");
  }
  if (value.is_string() && !IsUtf8(value.as_string())) {
    return Fail("identity.not_utf8", "a string of an identity is not UTF-8");
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      Status item = CheckCanonical(value.as_array()[i]);
      if (!item) return Within(fmt::format("[{}]", i), std::move(item).error());
    }
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.as_object()) {
      if (!IsUtf8(key)) return Fail("identity.not_utf8", "a key of an identity is not UTF-8");
      Status member = CheckCanonical(item);
      if (!member) return Within(key, std::move(member).error());
    }
  }
  return {};
}

bool IsDomain(std::string_view domain) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (domain.empty() || !alphanumeric(domain.front())) return false;
  for (const char c : domain) {
    if (!alphanumeric(c) && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace

std::string DocumentJson(const Json& value) {
  Writer writer(-1);
  writer.Write(value, 0);
  return std::move(writer.out);
}

std::string PrettyJson(const Json& value) {
  Writer writer(2);
  writer.Write(value, 0);
  return std::move(writer.out);
}

Result<std::string> CanonicalJson(const Json& value) {
  RETURN_IF_ERROR(CheckCanonical(value));
  return DocumentJson(value);
}

Result<std::string> DomainDigest(std::string_view domain, const Json& payload,
                                 std::int64_t schema_version) {
  if (!IsDomain(domain)) {
    return Fail("identity.domain", fmt::format("`{}` is not a digest domain", domain),
                {.key_path = "domain"}, "a domain matches [a-z0-9][a-z0-9._-]*");
  }
  if (schema_version < 1) {
    return Fail("identity.schema_version",
                fmt::format("schema version {} is below 1", schema_version),
                {.key_path = "schema_version"});
  }
  ASSIGN_OR_RETURN(
      const std::string text,
      CanonicalJson(Json::Object{
          {"domain", domain}, {"payload", payload}, {"schema_version", schema_version}}));
  return Sha256Hex(text);
}

}  // namespace cacheon
