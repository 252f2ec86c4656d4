// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The expression language of device plans: a list of nodes, each over earlier nodes, whose types
// are bool, i64 and finite binary64 without any conversion between them. There is no control flow,
// so that every node is evaluated once and the cost of a plan is known when it is read.

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/scalar_type.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr std::string_view kExpressionSchema = "cacheon.cuda-expression-dag.v1";

enum class ExprOp : std::uint8_t {
  kConst,
  kBindingScalar,
  kTensorDim,
  kTensorStride,  // in elements, may be negative
  kTensorNumel,
  kTensorStorageOffset,  // in elements
  kTensorElementSize,    // in bytes
  kNeg,
  kNot,
  kAdd,
  kSub,
  kMul,
  kFloorDiv,  // rounds to minus infinity
  kCeilDiv,
  kMod,  // not negative: divisors are positive
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kMin,  // the first operand among equals
  kMax,
  kSelect,
};

// A checked value: no other type and no non-finite number gets here.
using ExprValue = std::variant<bool, std::int64_t, double>;
TypedScalar ToTypedScalar(const ExprValue& value);

struct ExprNode {
  ExprOp op = ExprOp::kConst;
  std::uint8_t operand_count = 0;
  std::uint8_t binding = 0;                // sources only
  std::uint8_t axis = 0;                   // kTensorDim and kTensorStride only
  std::array<std::uint8_t, 8> operands{};  // indices of earlier nodes
  ExprValue value = false;                 // kConst only
};

struct Expression {
  std::vector<ExprNode> nodes;
  std::uint8_t result = 0;
};

std::string_view ExprOpName(ExprOp op);

// True for the operations that read a binding's live value.
bool IsSource(ExprOp op);
// True for the sources that read a tensor; the others among them read a scalar.
bool IsTensorSource(ExprOp op);
bool HasAxis(ExprOp op);

// Reads {"nodes","result","schema"}. Codes `ex.*` and ev.range for a constant beyond 64 bits.
Result<Expression> ParseExpression(const Json& value, const KeyPath& path);

// An index of a binding, 0..63. Code ex.binding_index.
Result<std::uint8_t> ParseBindingIndex(const Json* value, const KeyPath& path);

// The canonical form: every key of every node is written, absent ones as null.
Json ExpressionToJson(const Expression& expression);

// A constant in its wire form: floats as {"f64_hex": text}.
Json ExprValueToJson(const ExprValue& value);

}  // namespace cacheon::artifact
