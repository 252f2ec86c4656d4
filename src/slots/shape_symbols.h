// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The symbolic dimensions of a contract ("M", "2*d", "S/block_size", "...") and their values in one
// call. Inputs bind symbols, outputs are computed from them.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::slots {

class ShapeSymbols {
 public:
  // A scalar argument whose name a dimension may use.
  void BindScalar(std::string_view name, std::int64_t value);

  // Matches a shape with its pattern. A dimension is a number, a symbol, or one operation (+, *, /)
  // on two of them; an operation with one unknown symbol and a number is solved for the symbol, one
  // with more unknowns is checked in Finish. Code: slot.shape at `argument`.
  Status BindShape(std::string_view argument, std::span<const std::string_view> pattern,
                   std::span<const std::int64_t> shape);

  // The checks that had to wait until every symbol was bound. Code: slot.shape.
  Status Finish() const;

  // The shape of an output. Codes: slot.shape (an unbound symbol, a division with a remainder),
  // tensor.overflow.
  Result<std::vector<std::int64_t>> Evaluate(std::string_view argument,
                                             std::span<const std::string_view> pattern) const;

  // The value of a symbol that an input has bound.
  std::int64_t Value(std::string_view symbol) const;

 private:
  struct Deferred {
    std::string argument;
    std::string_view dimension;
    std::int64_t value;
  };

  Status BindDimension(std::string_view argument, std::string_view dimension, std::int64_t value);
  std::optional<std::int64_t> Term(std::string_view text) const;
  Result<std::int64_t> EvaluateDimension(std::string_view argument,
                                         std::string_view dimension) const;

  std::map<std::string, std::int64_t, std::less<>> values_;
  std::vector<std::int64_t> leading_;
  std::vector<Deferred> deferred_;
};

}  // namespace cacheon::slots
