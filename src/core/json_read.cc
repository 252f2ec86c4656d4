// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/core/error.h"
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

std::unexpected<Error> SyntaxError(std::string_view text, std::size_t offset) {
  return Fail("json.syntax", "not valid JSON here", PlaceOf(text, offset));
}

// Walks the text for the library and counts what it has read, which its events do not tell.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

// Builds a Json from the events of the library's reader, which is iterative, so that depth costs
// heap and is bounded here.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const JsonReadOptions& options) : text_(text), options_(options) {}

  // Reads the whole text. Call once.
  Result<Json> Run() {
    const char* begin = text_.data();
    const bool complete = nlohmann::json::sax_parse(
        CountingIterator(begin, &read_), CountingIterator(begin + text_.size(), &read_), this);
    if (error_) return Fail(std::move(*error_));
    CACHEON_CHECK(complete, "the JSON reader stopped without a reason");
    return std::move(root_);
  }

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
      return Stop(Fail("json.duplicate_key", fmt::format("key `{}` appears twice", value), Here()));
    }
    keys_.back() = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Stop(SyntaxError(text_, position == 0 ? 0 : position - 1));
  }

 private:
  bool Stop(std::unexpected<Error> error) {
    error_ = std::move(error).error();
    return false;
  }

  // The last character that was read.
  Place Here() const { return PlaceOf(text_, read_ == 0 ? 0 : read_ - 1); }

  bool Count() {
    if (++values_ <= options_.max_values) return true;
    return Stop(
        Fail("json.too_large", fmt::format("more than {} values", options_.max_values), Here()));
  }

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
    if (!Count()) return false;
    Insert(std::move(value));
    return true;
  }

  bool Open(Json container) {
    if (static_cast<int>(open_.size()) >= options_.max_depth) {
      return Stop(
          Fail("json.depth", fmt::format("nested deeper than {}", options_.max_depth), Here()));
    }
    if (!Count()) return false;
    open_.push_back(Insert(std::move(container)));
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  const JsonReadOptions& options_;
  std::size_t read_ = 0;  // bytes of text_
  Json root_;
  // Pointers stay valid: a container only grows at its end while its last child is open.
  std::vector<Json*> open_;
  std::vector<std::string> keys_;
  std::size_t values_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> ReadJson(std::string_view text, const JsonReadOptions& options) {
  if (text.size() > options.max_bytes) {
    return Fail("json.too_large",
                fmt::format("{} bytes, at most {} are read", text.size(), options.max_bytes));
  }
  // The library ends the text at a NUL and skips a byte order mark; RFC 8259 has neither.
  if (text.starts_with("\xEF\xBB\xBF")) return SyntaxError(text, 0);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return SyntaxError(text, nul);
  }
  return Builder(text, options).Run();
}

}  // namespace cacheon
