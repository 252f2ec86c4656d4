// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/shape_symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

namespace cacheon::slots {
namespace {

constexpr std::string_view kLeading = "...";

struct Operation {
  std::string_view left;
  char symbol = 0;  // 0: `left` alone
  std::string_view right;
};

Operation Split(std::string_view dimension) {
  const std::size_t at = dimension.find_first_of("+*/");
  if (at == std::string_view::npos) return {.left = dimension, .right = {}};
  return {
      .left = dimension.substr(0, at), .symbol = dimension[at], .right = dimension.substr(at + 1)};
}

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::unexpected<Error> FailShape(std::string_view argument, std::string message) {
  return Fail("slot.shape", std::move(message), {.key_path = std::string(argument)});
}

std::unexpected<Error> FailDimension(std::string_view argument, std::string_view dimension,
                                     std::int64_t value) {
  return FailShape(argument,
                   fmt::format("a dimension is {}, which does not fit `{}`", value, dimension));
}

// The unknown side of `number OP unknown = value`; nullopt when there is none.
std::optional<std::int64_t> Solve(char symbol, std::int64_t number, std::int64_t value) {
  if (symbol == '+') return value >= number ? std::optional(value - number) : std::nullopt;
  if (symbol == '*' && number > 0 && value % number == 0) return value / number;
  return std::nullopt;
}

}  // namespace

void ShapeSymbols::BindScalar(std::string_view name, std::int64_t value) {
  values_.insert_or_assign(std::string(name), value);
}

std::int64_t ShapeSymbols::Value(std::string_view symbol) const {
  const auto found = values_.find(symbol);
  CACHEON_CHECK(found != values_.end(), "every symbol of a contract is bound by an input");
  return found->second;
}

std::optional<std::int64_t> ShapeSymbols::Term(std::string_view text) const {
  if (const auto number = Number(text)) return number;
  const auto found = values_.find(text);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

Status ShapeSymbols::BindDimension(std::string_view argument, std::string_view dimension,
                                   std::int64_t value) {
  const Operation operation = Split(dimension);
  if (operation.symbol == 0) {
    if (const auto known = Term(dimension)) {
      if (*known == value) return {};
      return FailShape(argument,
                       fmt::format("a dimension is {} where `{}` is {}", value, dimension, *known));
    }
    values_.emplace(dimension, value);
    return {};
  }
  const auto left = Number(operation.left);
  const auto right = Number(operation.right);
  const std::string_view unknown = left ? operation.right : operation.left;
  if ((left || right) && operation.symbol != '/' && !Term(unknown)) {
    const auto solved = Solve(operation.symbol, left ? *left : *right, value);
    if (!solved) return FailDimension(argument, dimension, value);
    values_.emplace(unknown, *solved);
    return {};
  }
  deferred_.push_back({std::string(argument), dimension, value});
  return {};
}

Status ShapeSymbols::BindShape(std::string_view argument, std::span<const std::string_view> pattern,
                               std::span<const std::int64_t> shape) {
  const bool any_leading = !pattern.empty() && pattern.front() == kLeading;
  if (any_leading) pattern = pattern.subspan(1);
  if (any_leading ? shape.size() < pattern.size() : shape.size() != pattern.size()) {
    return FailShape(argument,
                     fmt::format("the shape [{}] has {} dimensions, the contract wants {}{}",
                                 fmt::join(shape, ", "), shape.size(), pattern.size(),
                                 any_leading ? " or more" : ""));
  }
  if (any_leading) {
    const auto leading = shape.first(shape.size() - pattern.size());
    leading_.assign(leading.begin(), leading.end());
    shape = shape.subspan(leading.size());
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    RETURN_IF_ERROR(BindDimension(argument, pattern[i], shape[i]));
  }
  return {};
}

Result<std::int64_t> ShapeSymbols::EvaluateDimension(std::string_view argument,
                                                     std::string_view dimension) const {
  const Operation operation = Split(dimension);
  const auto left = Term(operation.left);
  const auto right = operation.symbol == 0 ? left : Term(operation.right);
  if (!left || !right) {
    return FailShape(argument, fmt::format("no input fixes the dimension `{}`", dimension));
  }
  std::int64_t value = *left;
  if (operation.symbol == '/') {
    if (*right <= 0 || *left % *right != 0) {
      return FailShape(argument, fmt::format("`{}` is {} / {}, which leaves a remainder", dimension,
                                             *left, *right));
    }
    return *left / *right;
  }
  const bool overflow =
      (operation.symbol == '*' && __builtin_mul_overflow(*left, *right, &value)) ||
      (operation.symbol == '+' && __builtin_add_overflow(*left, *right, &value));
  if (overflow)
    return Fail("tensor.overflow", "a dimension overflows", {.key_path = std::string(argument)});
  return value;
}

Status ShapeSymbols::Finish() const {
  for (const Deferred& check : deferred_) {
    ASSIGN_OR_RETURN(const std::int64_t value, EvaluateDimension(check.argument, check.dimension));
    if (value != check.value) return FailDimension(check.argument, check.dimension, check.value);
  }
  return {};
}

Result<std::vector<std::int64_t>> ShapeSymbols::Evaluate(
    std::string_view argument, std::span<const std::string_view> pattern) const {
  std::vector<std::int64_t> shape;
  for (const std::string_view dimension : pattern) {
    if (dimension == kLeading) {
      shape.insert(shape.end(), leading_.begin(), leading_.end());
      continue;
    }
    ASSIGN_OR_RETURN(const std::int64_t extent, EvaluateDimension(argument, dimension));
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace cacheon::slots
