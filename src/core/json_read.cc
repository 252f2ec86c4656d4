// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/utf8.h"

namespace cacheon {
namespace {

// Line and column (in code points) of byte `offset`.
Place PlaceOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.line = 1 + static_cast<int>(std::ranges::count(before, '\n')),
          .column = 1 + static_cast<int>(CodePointCount(before.substr(line_start)))};
}

// Builds a Json from the events of the library's reader, which is iterative, so that depth costs
// heap and is bounded here.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const JsonReadOptions& options) : options_(options) {}

  bool null() override { return Put(Json()); }
  bool boolean(bool value) override { return Put(Json(value)); }
  bool number_integer(number_integer_t value) override { return Put(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Put(Json(value)); }
  bool number_float(number_float_t value, const string_t& text) override {
    // An integer too large for 64 bits arrives here, with its text.
    if (text.find_first_of(".eE") != std::string::npos) return Put(Json(value));
    return Put(Json(Json::BigInteger{text}));
  }
  bool string(string_t& value) override { return Put(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }  // text has none
  bool start_object(std::size_t) override { return Open(Json(Json::Object{})); }
  bool start_array(std::size_t) override { return Open(Json(Json::Array{})); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& value) override {
    if (!options_.allow_duplicate_keys && open_.back()->Find(value) != nullptr) {
      error_ = Fail("json.duplicate_key", fmt::format("key `{}` appears twice", value)).error();
      return false;
    }
    keys_.back() = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    syntax_error_at_ = position == 0 ? 0 : position - 1;
    return false;
  }

  Result<Json> Take(bool complete, std::string_view text) {
    if (error_) return Fail(std::move(*error_));
    if (!complete) {
      return Fail("json.syntax", "not valid JSON here", PlaceOf(text, syntax_error_at_));
    }
    return std::move(root_);
  }

 private:
  Json* Insert(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.as_array().push_back(std::move(value));
      return &parent.as_array().back();
    }
    Json& member = parent.as_object()[keys_.back()];
    member = std::move(value);
    return &member;
  }

  bool Put(Json value) {
    if (++values_ > options_.max_values) {
      error_ =
          Fail("json.too_large", fmt::format("more than {} values", options_.max_values)).error();
      return false;
    }
    Insert(std::move(value));
    return true;
  }

  bool Open(Json container) {
    if (static_cast<int>(open_.size()) >= options_.max_depth) {
      error_ = Fail("json.depth", fmt::format("nested deeper than {}", options_.max_depth)).error();
      return false;
    }
    ++values_;
    open_.push_back(Insert(std::move(container)));
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const JsonReadOptions& options_;
  Json root_;
  // Pointers stay valid: a container only grows at its end while its last child is open.
  std::vector<Json*> open_;
  std::vector<std::string> keys_;
  std::size_t values_ = 0;
  std::size_t syntax_error_at_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> ReadJson(std::string_view text, const JsonReadOptions& options) {
  if (text.size() > options.max_bytes) {
    return Fail("json.too_large",
                fmt::format("{} bytes, at most {} are read", text.size(), options.max_bytes));
  }
  Builder builder(options);
  const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take(complete, text);
}

}  // namespace cacheon
