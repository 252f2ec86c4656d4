// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/packed_field.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

enum class Kind : std::uint8_t {
  kPointer,
  kScalar,
  kPackedStruct,
  kTma,
  kCutlassFastDivmod,
  kCuteFastDivmod,
  kGroupHandle,
};

// In the order of Kind, which is the order of the alternatives of Parameter.
constexpr std::string_view kKindNames[] = {"pointer",
                                           "scalar",
                                           "packed_struct",
                                           "tma_descriptor",
                                           "cutlass_fast_divmod_i32_v1",
                                           "cute_fast_divmod_i32_v1",
                                           "group_handle"};
// In the order of GroupProjection.
constexpr std::string_view kGroupProjections[] = {"native_handle", "peer_ptr_table"};

// The optional members of a row; what is null or an empty list of fields counts as absent.
struct Members {
  const Json* binding;
  const Json* scalar_type;
  const Json* group_projection;
  std::optional<Expression> expression;
  std::optional<TmaPlan> tma;
  std::vector<PackedField> fields;
};

Result<Members> ParseMembers(const Json& row, const KeyPath& path) {
  Members members{.binding = Present(row, "binding"),
                  .scalar_type = Present(row, "scalar_type"),
                  .group_projection = Present(row, "group_projection"),
                  .expression = {},
                  .tma = {},
                  .fields = {}};
  if (const Json* fields = Present(row, "fields")) {
    const KeyPath fields_path = path.Key("fields");
    if (!fields->is_array()) {
      return Fail("pm.fields_type", fmt::format("`fields` is a list, not {}", Spell(fields)),
                  fields_path.where());
    }
    for (std::size_t i = 0; i < fields->as_array().size(); ++i) {
      ASSIGN_OR_RETURN(PackedField field,
                       ParsePackedField(fields->as_array()[i], fields_path.At(i)));
      members.fields.push_back(std::move(field));
    }
  }
  if (const Json* expression = Present(row, "expression")) {
    ASSIGN_OR_RETURN(members.expression, ParseExpression(*expression, path.Key("expression")));
  }
  if (const Json* tma = Present(row, "tma")) {
    ASSIGN_OR_RETURN(members.tma, ParseTmaPlan(*tma, path.Key("tma")));
  }
  return members;
}

Result<Parameter> MakePointer(const Members& members, int size, const KeyPath& path) {
  if (size != kPointerBytes) {
    return Fail("pm.pointer_size",
                fmt::format("a pointer has {} bytes, not {}", kPointerBytes, size),
                path.Key("size").where());
  }
  ASSIGN_OR_RETURN(const std::uint8_t binding,
                   ParseBindingIndex(members.binding, path.Key("binding")));
  return Parameter{size, PointerParameter{binding}};
}

Result<Parameter> MakeScalar(Members& members, int size, const KeyPath& path) {
  const auto type = FindScalarType(TextOf(members.scalar_type));
  const auto width = type ? ParameterWidth(*type) : std::nullopt;
  if (!width) {
    return Fail("pm.scalar", fmt::format("{} is no parameter type", Spell(members.scalar_type)),
                path.Key("scalar_type").where());
  }
  if (!members.expression) {
    return Fail("pm.scalar", "a scalar parameter needs an `expression`", path.where());
  }
  if (*width != size) {
    return Fail("pm.scalar",
                fmt::format("{} has {} bytes, not {}", ScalarTypeName(*type), *width, size),
                path.Key("size").where());
  }
  return Parameter{size, ScalarParameter{*type, *std::move(members.expression)}};
}

Result<Parameter> MakePackedStruct(Members& members, int size, const KeyPath& path) {
  if (members.fields.empty()) {
    return Fail("pk.empty", "a packed struct needs fields", path.Key("fields").where());
  }
  RETURN_IF_ERROR(CheckPackedFields(members.fields, size, path.Key("fields")));
  return Parameter{size, PackedStruct{std::move(members.fields)}};
}

Result<Parameter> MakeTma(Members& members, int size, const KeyPath& path) {
  if (!members.tma || size != kTmaDescriptorBytes) {
    return Fail("pm.tma",
                fmt::format("a tensor map is a `tma` table and {} bytes", kTmaDescriptorBytes),
                path.where());
  }
  return Parameter{size, TmaParameter{*std::move(members.tma)}};
}

template <typename Divmod>
Result<Parameter> MakeFastDivmod(Code code, Members& members, int size, const KeyPath& path) {
  if (!members.expression || size != kFastDivmodBytes) {
    return Fail(code, fmt::format("a divisor is an `expression` and {} bytes", kFastDivmodBytes),
                path.where());
  }
  return Parameter{size, Divmod{*std::move(members.expression)}};
}

Result<Parameter> MakeGroupHandle(const Members& members, int size, const KeyPath& path) {
  const auto projection = IndexOf(kGroupProjections, members.group_projection);
  if (!projection || size != kPointerBytes) {
    return Fail("pm.group",
                fmt::format("a group handle is {} and {} bytes", JoinNames(kGroupProjections),
                            kPointerBytes),
                path.where());
  }
  ASSIGN_OR_RETURN(const std::uint8_t binding,
                   ParseBindingIndex(members.binding, path.Key("binding")));
  return Parameter{size, GroupHandle{binding, static_cast<GroupProjection>(*projection)}};
}

Result<Parameter> MakeParameter(Kind kind, Members& members, int size, const KeyPath& path) {
  switch (kind) {
    case Kind::kPointer:
      return MakePointer(members, size, path);
    case Kind::kScalar:
      return MakeScalar(members, size, path);
    case Kind::kPackedStruct:
      return MakePackedStruct(members, size, path);
    case Kind::kTma:
      return MakeTma(members, size, path);
    case Kind::kCutlassFastDivmod:
      return MakeFastDivmod<CutlassFastDivmod>("pm.fdm_cutlass", members, size, path);
    case Kind::kCuteFastDivmod:
      return MakeFastDivmod<CuteFastDivmod>("pm.fdm_cute", members, size, path);
    case Kind::kGroupHandle:
      return MakeGroupHandle(members, size, path);
  }
  std::unreachable();
}

// Looks at the row, not at the members: some have been moved into the parameter already.
Status CheckExtraneous(Kind kind, const Json& row, const KeyPath& path) {
  struct Use {
    std::string_view key;
    std::initializer_list<Kind> kinds;
  };
  static const Use kUses[] = {
      {"binding", {Kind::kPointer, Kind::kGroupHandle}},
      {"scalar_type", {Kind::kScalar}},
      {"expression", {Kind::kScalar, Kind::kCutlassFastDivmod, Kind::kCuteFastDivmod}},
      {"fields", {Kind::kPackedStruct}},
      {"tma", {Kind::kTma}},
      {"group_projection", {Kind::kGroupHandle}},
  };
  for (const Use& use : kUses) {
    const Json* value = Present(row, use.key);
    if (value == nullptr) continue;
    if (use.key == "fields" && value->as_array().empty()) continue;
    if (std::ranges::find(use.kinds, kind) != use.kinds.end()) continue;
    return Fail(
        "pm.extraneous",
        fmt::format("`{}` takes no `{}`", kKindNames[static_cast<std::size_t>(kind)], use.key),
        path.Key(use.key).where());
  }
  return {};
}

}  // namespace

std::string_view GroupProjectionName(GroupProjection projection) {
  return kGroupProjections[static_cast<std::size_t>(projection)];
}

Result<Parameter> ParseParameter(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"kind", "size"};
  static constexpr std::string_view kOptional[] = {"binding", "scalar_type", "expression",
                                                   "fields",  "tma",         "group_projection"};
  if (!row.is_object()) {
    return Fail("pm.fields", fmt::format("a parameter is a table, not {}", Spell(&row)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kRequired, kOptional)) {
    return Fail("pm.fields", problem->message, path.where(), problem->hint);
  }
  ASSIGN_OR_RETURN(Members members, ParseMembers(row, path));
  const auto size = ExactInteger(row.Find("size"), 1, kMaxPlanParameterBytes);
  if (!size) {
    return Fail("pm.size",
                fmt::format("a size is an integer in 1..{}, not {}", kMaxPlanParameterBytes,
                            Spell(row.Find("size"))),
                path.Key("size").where());
  }
  if (members.fields.size() > kMaxPackedFields) {
    return Fail("pm.field_count",
                fmt::format("at most {} fields, not {}", kMaxPackedFields, members.fields.size()),
                path.Key("fields").where());
  }
  const auto kind = IndexOf(kKindNames, row.Find("kind"));
  if (!kind) {
    return Fail("pm.kind", fmt::format("{} is no kind of parameter", Spell(row.Find("kind"))),
                path.Key("kind").where(), fmt::format("kinds: {}", JoinNames(kKindNames)));
  }
  const auto parsed_kind = static_cast<Kind>(*kind);
  ASSIGN_OR_RETURN(Parameter parameter,
                   MakeParameter(parsed_kind, members, static_cast<int>(*size), path));
  RETURN_IF_ERROR(CheckExtraneous(parsed_kind, row, path));
  return parameter;
}

Json ParameterToJson(const Parameter& parameter) {
  Json::Object row{{"binding", nullptr},
                   {"expression", nullptr},
                   {"fields", Json::Array{}},
                   {"group_projection", nullptr},
                   {"kind", kKindNames[parameter.value.index()]},
                   {"scalar_type", nullptr},
                   {"size", parameter.size},
                   {"tma", nullptr}};
  if (const auto* pointer = std::get_if<PointerParameter>(&parameter.value)) {
    row["binding"] = pointer->binding;
  } else if (const auto* scalar = std::get_if<ScalarParameter>(&parameter.value)) {
    row["scalar_type"] = ScalarTypeName(scalar->type);
    row["expression"] = ExpressionToJson(scalar->expression);
  } else if (const auto* packed = std::get_if<PackedStruct>(&parameter.value)) {
    for (const PackedField& field : packed->fields) row["fields"].Append(PackedFieldToJson(field));
  } else if (const auto* tma = std::get_if<TmaParameter>(&parameter.value)) {
    row["tma"] = TmaPlanToJson(tma->plan);
  } else if (const auto* cutlass = std::get_if<CutlassFastDivmod>(&parameter.value)) {
    row["expression"] = ExpressionToJson(cutlass->divisor);
  } else if (const auto* cute = std::get_if<CuteFastDivmod>(&parameter.value)) {
    row["expression"] = ExpressionToJson(cute->divisor);
  } else {
    const auto& group = std::get<GroupHandle>(parameter.value);
    row["binding"] = group.binding;
    row["group_projection"] = GroupProjectionName(group.projection);
  }
  return row;
}

}  // namespace cacheon::artifact
