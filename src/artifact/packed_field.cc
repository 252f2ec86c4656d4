// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/packed_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "cacheon/core/sha256.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

bool IsUpperHexDigit(char c) { return c >= 'A' && c <= 'F'; }

Result<PackedLiteral> ParseLiteral(const Json& value, const KeyPath& path) {
  const std::string_view text = TextOf(&value);
  if (text.empty() || text.size() % 2 != 0 || text.size() > 2 * kMaxLiteralBytes) {
    return Fail("pk.literal_shape",
                fmt::format("`data_hex` is 1..{} bytes of two hex digits each", kMaxLiteralBytes),
                path.where());
  }
  PackedLiteral literal;
  bool upper = false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto digit = [&](char c) {
      upper |= IsUpperHexDigit(c);
      return HexDigit(IsUpperHexDigit(c) ? static_cast<char>(c - 'A' + 'a') : c);
    };
    const auto high = digit(text[i]);
    const auto low = digit(text[i + 1]);
    if (!high || !low) {
      return Fail("pk.literal_hex", "`data_hex` holds something other than hex digits",
                  path.where(), "leave out white space");
    }
    literal.bytes.push_back(static_cast<std::byte>(*high * 16 + *low));
  }
  if (upper) {
    return Fail("pk.literal_case", "`data_hex` is written in lower case", path.where());
  }
  return literal;
}

Result<PackedScalar> ParseScalarField(const Json& row, const KeyPath& path) {
  const auto type = FindScalarType(TextOf(Present(row, "scalar_type")));
  const Json* expression = Present(row, "expression");
  if (!type || !ParameterWidth(*type) || expression == nullptr) {
    return Fail("pk.scalar", "a scalar field needs a parameter type and an expression",
                path.where(), "bf16 and tf32 are no parameter types");
  }
  PackedScalar scalar{.type = *type, .expression = {}};
  ASSIGN_OR_RETURN(scalar.expression, ParseExpression(*expression, path.Key("expression")));
  return scalar;
}

}  // namespace

int PackedField::bytes() const {
  if (const auto* scalar = std::get_if<PackedScalar>(&value)) return *ParameterWidth(scalar->type);
  if (const auto* literal = std::get_if<PackedLiteral>(&value)) {
    return static_cast<int>(literal->bytes.size());
  }
  return kPointerBytes;
}

Result<PackedField> ParsePackedField(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"offset"};
  static constexpr std::string_view kOptional[] = {"scalar_type", "expression", "data_hex",
                                                   "tensor_binding"};
  if (!row.is_object()) {
    return Fail("pk.fields", fmt::format("a field is a table, not {}", Spell(&row)), path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kRequired, kOptional)) {
    return Fail("pk.fields", problem->message, path.where(), problem->hint);
  }
  const auto offset = ExactInteger(row.Find("offset"), 0, kMaxPlanParameterBytes - 1);
  if (!offset) {
    return Fail("pk.offset",
                fmt::format("an offset is an integer in 0..{}, not {}", kMaxPlanParameterBytes - 1,
                            Spell(row.Find("offset"))),
                path.Key("offset").where());
  }
  const bool scalar =
      Present(row, "scalar_type") != nullptr || Present(row, "expression") != nullptr;
  const Json* literal = Present(row, "data_hex");
  const Json* tensor = Present(row, "tensor_binding");
  if (int{scalar} + int{literal != nullptr} + int{tensor != nullptr} != 1) {
    return Fail("pk.one_of", "a field is exactly one of a scalar, a literal and a tensor's address",
                path.where());
  }
  PackedField field{.offset = static_cast<int>(*offset), .value = {}};
  if (scalar) {
    ASSIGN_OR_RETURN(field.value, ParseScalarField(row, path));
  } else if (literal != nullptr) {
    ASSIGN_OR_RETURN(field.value, ParseLiteral(*literal, path.Key("data_hex")));
  } else {
    ASSIGN_OR_RETURN(const std::uint8_t binding,
                     ParseBindingIndex(tensor, path.Key("tensor_binding")));
    field.value = PackedAddress{binding};
  }
  return field;
}

Status CheckPackedFields(const std::vector<PackedField>& fields, int size, const KeyPath& path) {
  std::size_t literal_bytes = 0;
  for (const PackedField& field : fields) {
    const auto* literal = std::get_if<PackedLiteral>(&field.value);
    if (literal != nullptr) literal_bytes += literal->bytes.size();
  }
  if (literal_bytes > kMaxLiteralBytes) {
    return Fail("pk.literal_total",
                fmt::format("a struct holds at most {} literal bytes, not {}", kMaxLiteralBytes,
                            literal_bytes),
                path.where());
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].offset + fields[i].bytes() <= size) continue;
    return Fail("pk.exceeds",
                fmt::format("the field ends at byte {} of a struct of {}",
                            fields[i].offset + fields[i].bytes(), size),
                path.At(i).where());
  }
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return fields[i].offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const PackedField& before = fields[order[i - 1]];
    if (before.offset + before.bytes() <= fields[order[i]].offset) continue;
    return Fail("pk.overlap", fmt::format("the field overlaps the one at offset {}", before.offset),
                path.At(order[i]).where());
  }
  return {};
}

Json PackedFieldToJson(const PackedField& field) {
  Json::Object row{{"data_hex", nullptr},
                   {"expression", nullptr},
                   {"offset", field.offset},
                   {"scalar_type", nullptr},
                   {"tensor_binding", nullptr}};
  if (const auto* scalar = std::get_if<PackedScalar>(&field.value)) {
    row["scalar_type"] = ScalarTypeName(scalar->type);
    row["expression"] = ExpressionToJson(scalar->expression);
  } else if (const auto* literal = std::get_if<PackedLiteral>(&field.value)) {
    row["data_hex"] = ToHex(literal->bytes);
  } else {
    row["tensor_binding"] = std::get<PackedAddress>(field.value).binding;
  }
  return row;
}

}  // namespace cacheon::artifact
