// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/expression.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cacheon/artifact/hex_float.h"
#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

struct OpRule {
  std::string_view name;
  int minimum_operands;
  int maximum_operands;
};

// In the order of ExprOp.
constexpr OpRule kOps[] = {
    {"const", 0, 0},
    {"binding_scalar", 0, 0},
    {"tensor_dim", 0, 0},
    {"tensor_stride", 0, 0},
    {"tensor_numel", 0, 0},
    {"tensor_storage_offset", 0, 0},
    {"tensor_element_size", 0, 0},
    {"neg", 1, 1},
    {"not", 1, 1},
    {"add", 2, 2},
    {"sub", 2, 2},
    {"mul", 2, 2},
    {"floor_div", 2, 2},
    {"ceil_div", 2, 2},
    {"mod", 2, 2},
    {"eq", 2, 2},
    {"ne", 2, 2},
    {"lt", 2, 2},
    {"le", 2, 2},
    {"gt", 2, 2},
    {"ge", 2, 2},
    {"and", 2, 2},
    {"or", 2, 2},
    {"min", 1, 8},
    {"max", 1, 8},
    {"select", 3, 3},
};

constexpr std::string_view kNodeRequired[] = {"op"};
constexpr std::string_view kNodeOptional[] = {"operands", "value", "binding", "axis"};

std::optional<ExprOp> FindOp(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kOps); ++i) {
    if (kOps[i].name == name) return static_cast<ExprOp>(i);
  }
  return std::nullopt;
}

Result<ExprValue> ParseTaggedFloat(const Json& value, const KeyPath& path) {
  const Json* text = value.Find("f64_hex");
  if (value.as_object().size() != 1 || text == nullptr || !text->is_string()) {
    return Fail("ex.float_tag", "a float constant is exactly { f64_hex = TEXT }", path.where(),
                "write for example { f64_hex = \"0x1.8000000000000p+0\" } for 1.5");
  }
  const HexFloatResult parsed = ParseHexFloat(text->as_string());
  if (!parsed.fault) return ExprValue(parsed.value);
  const std::string spelled = Spell(text);
  switch (*parsed.fault) {
    case HexFloatFault::kNotHex:
      return Fail("ex.float_hex",
                  fmt::format("{} is no hexadecimal float within binary64", spelled),
                  path.Key("f64_hex").where());
    case HexFloatFault::kNotCanonical:
      return Fail("ex.float_canon", fmt::format("{} is not the one spelling of its value", spelled),
                  path.Key("f64_hex").where(),
                  "write 0x1., 13 lower-case hex digits, p and a signed exponent");
  }
  std::unreachable();
}

// Requires a value that is present. Codes of values come before those of operations.
Result<ExprValue> ParseValue(const Json& value, const KeyPath& path) {
  if (value.is_bool()) return ExprValue(value.as_bool());
  if (value.is_int64()) return ExprValue(value.as_int64());
  if (value.is_integer()) {
    return Fail("ev.range", fmt::format("{} is beyond signed 64 bits", Spell(&value)),
                path.where());
  }
  if (value.is_float()) {
    return Fail("ex.float_raw", "a float constant must be written as a hexadecimal text",
                path.where(),
                value.as_float() - value.as_float() == 0
                    ? fmt::format("write {{ f64_hex = \"{}\" }}", HexFloat(value.as_float()))
                    : "only finite numbers can be constants");
  }
  if (value.is_object()) return ParseTaggedFloat(value, path);
  return Fail(
      "ex.value_type",
      fmt::format("a constant is a bool, an integer or a tagged float, not {}", Spell(&value)),
      path.where());
}

Status ParseOperands(const Json& node, const KeyPath& path, ExprNode& result) {
  const Json* operands = node.Find("operands");
  if (operands == nullptr) return {};
  if (!operands->is_array()) {
    return Fail("ex.operands_type", fmt::format("`operands` is a list, not {}", Spell(operands)),
                path.where());
  }
  const Json::Array& list = operands->as_array();
  if (list.size() > kMaxExpressionOperands) {
    return Fail(
        "ex.operands_bound",
        fmt::format("a node has at most {} operands, not {}", kMaxExpressionOperands, list.size()),
        path.where(), "nest two nodes");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!ExactInteger(&list[i], 0, INT64_MAX)) {
      return Fail("ex.operand_index",
                  fmt::format("an operand is the index of a node, not {}", Spell(&list[i])),
                  path.At(i).where());
    }
    // An index beyond every node is kept as the largest: the check of order refuses it.
    const auto index = ExactInteger(&list[i], 0, UINT8_MAX);
    result.operands[i] = static_cast<std::uint8_t>(index.value_or(UINT8_MAX));
  }
  result.operand_count = static_cast<std::uint8_t>(list.size());
  return {};
}

// The members of a node that only some operations have.
struct NodeFields {
  const Json* value;
  const Json* binding;
  const Json* axis;
};

Status CheckConst(const NodeFields& fields, const KeyPath& path, ExprNode& node) {
  if (node.operand_count == 0 && fields.binding == nullptr && fields.axis == nullptr) {
    if (fields.value != nullptr) return {};
    return Fail("ev.not_scalar", "a constant needs a `value`", path.where());
  }
  return Fail("ex.const_fields", "a constant takes no operands, binding or axis", path.where());
}

Status CheckSource(const NodeFields& fields, const KeyPath& path, ExprNode& node) {
  if (node.operand_count != 0 || fields.value != nullptr) {
    return Fail("ex.source_fields",
                fmt::format("`{}` takes no operands and no value", ExprOpName(node.op)),
                path.where());
  }
  ASSIGN_OR_RETURN(node.binding, ParseBindingIndex(fields.binding, path.Key("binding")));
  if (!HasAxis(node.op)) {
    if (fields.axis == nullptr) return {};
    return Fail("ex.axis_unexpected", fmt::format("`{}` takes no axis", ExprOpName(node.op)),
                path.Key("axis").where());
  }
  const auto axis = ExactInteger(fields.axis, 0, kMaxAxis);
  if (!axis) {
    return Fail("ex.axis_range",
                fmt::format("`{}` needs an axis of 0..{}, not {}", ExprOpName(node.op), kMaxAxis,
                            Spell(fields.axis)),
                path.Key("axis").where());
  }
  node.axis = static_cast<std::uint8_t>(*axis);
  return {};
}

Status CheckCompute(std::optional<ExprOp> op, std::string_view name, const NodeFields& fields,
                    const KeyPath& path, const ExprNode& node) {
  if (fields.value != nullptr || fields.binding != nullptr || fields.axis != nullptr) {
    return Fail("ex.op_fields", fmt::format("`{}` takes operands only", name), path.where());
  }
  if (!op) {
    return Fail("ex.op_unknown", fmt::format("`{}` is no operation", name), path.Key("op").where());
  }
  const OpRule& rule = kOps[static_cast<std::size_t>(*op)];
  if (node.operand_count < rule.minimum_operands || node.operand_count > rule.maximum_operands) {
    return Fail("ex.arity",
                rule.minimum_operands == rule.maximum_operands
                    ? fmt::format("`{}` takes {} operands, not {}", name, rule.minimum_operands,
                                  node.operand_count)
                    : fmt::format("`{}` takes {}..{} operands, not {}", name, rule.minimum_operands,
                                  rule.maximum_operands, node.operand_count),
                path.where());
  }
  return {};
}

Result<ExprNode> ParseNode(const Json& value, const KeyPath& path) {
  if (!value.is_object()) {
    return Fail("ex.node_fields", fmt::format("a node is a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kNodeRequired, kNodeOptional)) {
    return Fail("ex.node_fields", problem->message, path.where(), problem->hint);
  }
  const Json* name = value.Find("op");
  if (!name->is_string()) {
    return Fail("ex.op_type", fmt::format("`op` is a string, not {}", Spell(name)),
                path.Key("op").where());
  }
  ExprNode node;
  RETURN_IF_ERROR(ParseOperands(value, path.Key("operands"), node));
  const NodeFields fields{Present(value, "value"), Present(value, "binding"),
                          Present(value, "axis")};
  if (fields.value != nullptr) {
    ASSIGN_OR_RETURN(node.value, ParseValue(*fields.value, path.Key("value")));
  }
  const std::optional<ExprOp> op = FindOp(name->as_string());
  node.op = op.value_or(ExprOp::kConst);
  if (op == ExprOp::kConst) {
    RETURN_IF_ERROR(CheckConst(fields, path, node));
  } else if (op && IsSource(*op)) {
    RETURN_IF_ERROR(CheckSource(fields, path, node));
  } else {
    RETURN_IF_ERROR(CheckCompute(op, name->as_string(), fields, path, node));
  }
  return node;
}

Status CheckOrder(const std::vector<ExprNode>& nodes, const KeyPath& path) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes[i].operand_count; ++j) {
      if (nodes[i].operands[j] < i) continue;
      return Fail("ex.forward_ref", "an operand must be an earlier node",
                  path.At(i).Key("operands").At(j).where());
    }
  }
  return {};
}

}  // namespace

TypedScalar ToTypedScalar(const ExprValue& value) {
  return std::visit([](auto scalar) { return TypedScalar(scalar); }, value);
}

std::string_view ExprOpName(ExprOp op) { return kOps[static_cast<std::size_t>(op)].name; }

bool IsSource(ExprOp op) { return op == ExprOp::kBindingScalar || IsTensorSource(op); }

bool IsTensorSource(ExprOp op) {
  return op >= ExprOp::kTensorDim && op <= ExprOp::kTensorElementSize;
}

bool HasAxis(ExprOp op) { return op == ExprOp::kTensorDim || op == ExprOp::kTensorStride; }

Result<std::uint8_t> ParseBindingIndex(const Json* value, const KeyPath& path) {
  constexpr std::int64_t kLast = kMaxBindings - 1;
  const auto index = ExactInteger(value, 0, kLast);
  if (index) return static_cast<std::uint8_t>(*index);
  return Fail("ex.binding_index",
              fmt::format("a binding index is an integer in 0..{}, not {}", kLast, Spell(value)),
              path.where());
}

Result<Expression> ParseExpression(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"nodes", "result", "schema"};
  if (!value.is_object()) {
    return Fail("ex.fields", fmt::format("an expression is a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("ex.fields", problem->message, path.where(), problem->hint);
  }
  const Json* nodes = value.Find("nodes");
  if (!nodes->is_array()) {
    return Fail("ex.nodes_type", fmt::format("`nodes` is a list, not {}", Spell(nodes)),
                path.Key("nodes").where());
  }
  const Json::Array& list = nodes->as_array();
  Expression expression;
  expression.nodes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(ExprNode node, ParseNode(list[i], path.Key("nodes").At(i)));
    expression.nodes.push_back(node);
  }
  if (list.empty() || list.size() > kMaxExpressionNodes) {
    return Fail(
        "ex.node_count",
        fmt::format("an expression has 1..{} nodes, not {}", kMaxExpressionNodes, list.size()),
        path.Key("nodes").where());
  }
  RETURN_IF_ERROR(CheckOrder(expression.nodes, path.Key("nodes")));
  const auto last = static_cast<std::int64_t>(list.size()) - 1;
  const auto result = ExactInteger(value.Find("result"), 0, last);
  if (!result) {
    return Fail("ex.result_index",
                fmt::format("`result` is the index of a node, 0..{}, not {}", last,
                            Spell(value.Find("result"))),
                path.Key("result").where());
  }
  expression.result = static_cast<std::uint8_t>(*result);
  if (TextOf(value.Find("schema")) != kExpressionSchema) {
    return Fail(
        "ex.schema",
        fmt::format("the schema is `{}`, not {}", kExpressionSchema, Spell(value.Find("schema"))),
        path.Key("schema").where());
  }
  return expression;
}

Json ExprValueToJson(const ExprValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return Json::Object{{"f64_hex", HexFloat(std::get<double>(value))}};
}

Json ExpressionToJson(const Expression& expression) {
  Json::Array nodes;
  nodes.reserve(expression.nodes.size());
  for (const ExprNode& node : expression.nodes) {
    Json::Array operands;
    for (std::size_t i = 0; i < node.operand_count; ++i) operands.emplace_back(node.operands[i]);
    nodes.emplace_back(
        Json::Object{{"axis", HasAxis(node.op) ? Json(node.axis) : Json()},
                     {"binding", IsSource(node.op) ? Json(node.binding) : Json()},
                     {"op", ExprOpName(node.op)},
                     {"operands", std::move(operands)},
                     {"value", node.op == ExprOp::kConst ? ExprValueToJson(node.value) : Json()}});
  }
  return Json::Object{
      {"nodes", std::move(nodes)}, {"result", expression.result}, {"schema", kExpressionSchema}};
}

}  // namespace cacheon::artifact
