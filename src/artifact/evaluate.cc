// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/evaluate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/int_math.h"

namespace cacheon::artifact {
namespace {

std::unexpected<Error> OutOfRange() { return Fail("ev.range", "a result leaves signed 64 bits"); }

Result<ExprValue> Checked(std::optional<std::int64_t> value) {
  if (!value) return OutOfRange();
  return ExprValue(*value);
}

Result<ExprValue> Checked(double value) {
  if (std::isfinite(value)) return ExprValue(value);
  return Fail("ev.not_scalar", "a result is not finite");
}

Result<ExprValue> ScalarOf(const LiveValue& live) {
  if (const auto* flag = std::get_if<bool>(&live)) return ExprValue(*flag);
  if (const auto* integer = std::get_if<std::int64_t>(&live)) return ExprValue(*integer);
  if (std::holds_alternative<std::uint64_t>(live)) return OutOfRange();
  if (const auto* number = std::get_if<double>(&live)) return Checked(*number);
  return Fail("ev.not_scalar", "a binding holds no scalar");
}

Result<ExprValue> AxisOf(const LiveTensor& tensor, const ExprNode& node) {
  if (node.axis >= tensor.rank) {
    return Fail("ev.axis_live",
                fmt::format("axis {} of a tensor of rank {}", node.axis, tensor.rank));
  }
  return ExprValue(node.op == ExprOp::kTensorDim ? tensor.shape[node.axis]
                                                 : tensor.stride[node.axis]);
}

Result<ExprValue> SourceOf(const ExprNode& node, LiveFrame frame) {
  if (node.op == ExprOp::kBindingScalar) {
    if (node.binding >= frame.size()) {
      return Fail("ev.binding_missing", fmt::format("the frame has no binding {}", node.binding));
    }
    return ScalarOf(frame[node.binding]);
  }
  ASSIGN_OR_RETURN(const LiveTensor* tensor, TensorAt(frame, node.binding));
  if (HasAxis(node.op)) return AxisOf(*tensor, node);
  if (node.op == ExprOp::kTensorNumel) return Checked(Numel(tensor->dims()));
  return ExprValue(node.op == ExprOp::kTensorElementSize ? tensor->element_bytes
                                                         : tensor->storage_offset);
}

Result<ExprValue> Negate(const ExprValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return Checked(CheckedSub(0, *integer));
  if (const auto* number = std::get_if<double>(&value)) return ExprValue(-*number);
  return Fail("ev.neg_bool", "`neg` of a bool");
}

Result<bool> LogicOf(const ExprValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return Fail("ev.logic_type", "`not`, `and` and `or` take bools");
}

Result<ExprValue> Logic(ExprOp op, const ExprValue& a, const ExprValue& b) {
  ASSIGN_OR_RETURN(const bool left, LogicOf(a));
  ASSIGN_OR_RETURN(const bool right, LogicOf(b));
  return ExprValue(op == ExprOp::kAnd ? left && right : left || right);
}

template <typename T>
bool CompareSame(ExprOp op, T a, T b) {
  switch (op) {
    case ExprOp::kEq:
      return a == b;
    case ExprOp::kNe:
      return a != b;
    case ExprOp::kLt:
      return a < b;
    case ExprOp::kLe:
      return a <= b;
    case ExprOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

Result<ExprValue> Compare(ExprOp op, const ExprValue& a, const ExprValue& b) {
  if (a.index() != b.index()) {
    return Fail("ev.compare_type", "a comparison of values of different types");
  }
  return std::visit(
      [&](auto left) { return ExprValue(CompareSame(op, left, std::get<decltype(left)>(b))); }, a);
}

Result<ExprValue> ArithmeticInt(ExprOp op, std::int64_t a, std::int64_t b) {
  if (op == ExprOp::kAdd) return Checked(CheckedAdd(a, b));
  if (op == ExprOp::kSub) return Checked(CheckedSub(a, b));
  return Checked(CheckedMul(a, b));
}

Result<ExprValue> ArithmeticFloat(ExprOp op, double a, double b) {
  if (op == ExprOp::kAdd) return Checked(a + b);
  if (op == ExprOp::kSub) return Checked(a - b);
  return Checked(a * b);
}

Result<ExprValue> Arithmetic(ExprOp op, const ExprValue& a, const ExprValue& b) {
  if (a.index() != b.index() || std::holds_alternative<bool>(a)) {
    return Fail("ev.arith_type", "arithmetic over different types or over bools");
  }
  if (const auto* integer = std::get_if<std::int64_t>(&a)) {
    return ArithmeticInt(op, *integer, std::get<std::int64_t>(b));
  }
  return ArithmeticFloat(op, std::get<double>(a), std::get<double>(b));
}

Result<ExprValue> Divide(ExprOp op, const ExprValue& a, const ExprValue& b) {
  if (a.index() != b.index() || std::holds_alternative<bool>(a)) {
    return Fail("ev.arith_type", "arithmetic over different types or over bools");
  }
  const auto* dividend = std::get_if<std::int64_t>(&a);
  if (dividend == nullptr) return Fail("ev.int_required", "integer division of floats");
  const std::int64_t divisor = std::get<std::int64_t>(b);
  if (divisor <= 0) return Fail("ev.div_nonpos", fmt::format("division by {}", divisor));
  if (op == ExprOp::kFloorDiv) return ExprValue(FloorDiv(*dividend, divisor));
  if (op == ExprOp::kCeilDiv) return ExprValue(CeilDiv(*dividend, divisor));
  return ExprValue(FloorMod(*dividend, divisor));
}

Result<ExprValue> Extremum(ExprOp op, std::span<const ExprValue> values) {
  ExprValue best = values[0];
  for (const ExprValue& value : values) {
    if (value.index() != best.index() || std::holds_alternative<bool>(value)) {
      return Fail("ev.minmax_type", "`min` and `max` take integers or floats, not both, no bools");
    }
    // Strict, so that the first among equals stays: it decides the sign of a zero.
    if (op == ExprOp::kMin ? value < best : best < value) best = value;
  }
  return best;
}

Result<ExprValue> Select(const ExprValue& flag, const ExprValue& yes, const ExprValue& no) {
  const auto* chosen = std::get_if<bool>(&flag);
  if (chosen == nullptr || yes.index() != no.index()) {
    return Fail("ev.select_type", "`select` takes a bool and two values of one type");
  }
  return *chosen ? yes : no;
}

Result<ExprValue> Compute(ExprOp op, std::span<const ExprValue> operands) {
  switch (op) {
    case ExprOp::kNeg:
      return Negate(operands[0]);
    case ExprOp::kNot: {
      ASSIGN_OR_RETURN(const bool flag, LogicOf(operands[0]));
      return ExprValue(!flag);
    }
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
      return Arithmetic(op, operands[0], operands[1]);
    case ExprOp::kFloorDiv:
    case ExprOp::kCeilDiv:
    case ExprOp::kMod:
      return Divide(op, operands[0], operands[1]);
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
      return Compare(op, operands[0], operands[1]);
    case ExprOp::kAnd:
    case ExprOp::kOr:
      return Logic(op, operands[0], operands[1]);
    case ExprOp::kMin:
    case ExprOp::kMax:
      return Extremum(op, operands);
    case ExprOp::kSelect:
      return Select(operands[0], operands[1], operands[2]);
    case ExprOp::kConst:
    case ExprOp::kBindingScalar:
    case ExprOp::kTensorDim:
    case ExprOp::kTensorStride:
    case ExprOp::kTensorNumel:
    case ExprOp::kTensorStorageOffset:
    case ExprOp::kTensorElementSize:
      break;
  }
  std::unreachable();
}

Result<ExprValue> EvaluateNode(const ExprNode& node, std::span<const ExprValue> earlier,
                               LiveFrame frame) {
  if (node.op == ExprOp::kConst) return node.value;
  if (IsSource(node.op)) return SourceOf(node, frame);
  std::array<ExprValue, kMaxExpressionOperands> operands{};
  CACHEON_CHECK(node.operand_count <= operands.size(), "an expression was loaded unchecked");
  for (std::size_t i = 0; i < node.operand_count; ++i) operands[i] = earlier[node.operands[i]];
  return Compute(node.op, std::span(operands).first(node.operand_count));
}

}  // namespace

Result<ExprValue> EvaluateExpression(const Expression& expression, LiveFrame frame) {
  std::array<ExprValue, kMaxExpressionNodes> values{};
  for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
    Result<ExprValue> value = EvaluateNode(expression.nodes[i], std::span(values).first(i), frame);
    if (!value) return Fail(std::move(value).error().At(KeyPath("nodes").At(i).where()));
    values[i] = *value;
  }
  return values[expression.result];
}

}  // namespace cacheon::artifact
