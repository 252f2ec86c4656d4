// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/binding.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/aggregate.h"
#include "src/artifact/alignment.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// In the order of BindingKind.
constexpr std::string_view kKindNames[] = {"tensor", "pointer", "scalar",   "stream",
                                           "group",  "opaque",  "aggregate"};

// In the order of Projection.
constexpr std::string_view kProjectionNames[] = {
    "descriptor", "identity", "device_ptr", "native_handle", "peer_ptr_table", "value", "shape",
    "stride",     "numel",    "rank",       "size",          "storage_offset", "tuple"};

constexpr std::string_view kAggregateCasts[] = {"Shape", "Coord", "Tile", "IntTuple", "Stride"};
constexpr std::string_view kComponentCasts[] = {"i32", "i64"};

struct KindRule {
  std::span<const std::string_view> required;
  std::span<const std::string_view> optional;
  Projection default_projection;
};

KindRule RuleOf(BindingKind kind) {
  static constexpr std::string_view kSourced[] = {"source", "kind"};
  static constexpr std::string_view kAggregate[] = {"kind", "cast", "component_cast", "components"};
  static constexpr std::string_view kTensor[] = {"projection", "unsqueeze", "assumed_align",
                                                 "leading_dim"};
  static constexpr std::string_view kPointer[] = {"projection", "assumed_align", "peer_resource"};
  static constexpr std::string_view kScalar[] = {"projection", "axis", "cast"};
  static constexpr std::string_view kPlain[] = {"projection"};
  switch (kind) {
    case BindingKind::kTensor:
      return {kSourced, kTensor, Projection::kDescriptor};
    case BindingKind::kPointer:
      return {kSourced, kPointer, Projection::kIdentity};
    case BindingKind::kScalar:
      return {kSourced, kScalar, Projection::kValue};
    case BindingKind::kStream:
    case BindingKind::kGroup:
    case BindingKind::kOpaque:
      return {kSourced, kPlain, Projection::kIdentity};
    case BindingKind::kAggregate:
      return {kAggregate, kPlain, Projection::kTuple};
  }
  std::unreachable();
}

Status ParseProjection(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* text = Present(row, "projection");
  binding.projection = RuleOf(binding.kind).default_projection;
  if (text == nullptr) return {};
  const auto index = IndexOf(kProjectionNames, text);
  if (!index) {
    return Fail("bd.projection", fmt::format("{} is no projection", Spell(text)),
                path.Key("projection").where(),
                fmt::format("projections: {}", JoinNames(kProjectionNames)));
  }
  binding.projection = static_cast<Projection>(*index);
  return {};
}

bool IsDerivedInteger(Projection projection) {
  switch (projection) {
    case Projection::kShape:
    case Projection::kStride:
    case Projection::kNumel:
    case Projection::kRank:
    case Projection::kSize:
    case Projection::kStorageOffset:
      return true;
    case Projection::kDescriptor:
    case Projection::kIdentity:
    case Projection::kDevicePtr:
    case Projection::kNativeHandle:
    case Projection::kPeerPtrTable:
    case Projection::kValue:
    case Projection::kTuple:
      return false;
  }
  std::unreachable();
}

Status ParseScalarCast(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* cast = Present(row, "cast");
  binding.cast = FindScalarType(TextOf(cast));
  if (!binding.cast) {
    return Fail("bd.cast_required",
                fmt::format("a scalar binding needs a registered cast, not {}", Spell(cast)),
                path.Key("cast").where(), "write for example cast = \"i32\"");
  }
  if (IsDerivedInteger(binding.projection) && ClassOf(*binding.cast) != ScalarClass::kInteger) {
    return Fail("bd.cast_int",
                fmt::format("the projection `{}` needs an integer cast, not `{}`",
                            ProjectionName(binding.projection), ScalarTypeName(*binding.cast)),
                path.Key("cast").where());
  }
  return {};
}

Status ParseAggregateCast(const Json& row, const KeyPath& path, Binding& binding) {
  const auto cast = IndexOf(kAggregateCasts, row.Find("cast"));
  if (!cast) {
    return Fail("bd.agg_type",
                fmt::format("an aggregate is cast to {}, not {}", JoinNames(kAggregateCasts),
                            Spell(row.Find("cast"))),
                path.Key("cast").where());
  }
  binding.aggregate_cast = kAggregateCasts[*cast];
  return {};
}

Status ParseUnsqueeze(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* list = Present(row, "unsqueeze");
  if (list == nullptr) return {};
  if (list->as_array().size() > kMaxUnsqueezes) {
    return Fail(
        "bd.unsqueeze_count",
        fmt::format("at most {} unsqueezes, not {}", kMaxUnsqueezes, list->as_array().size()),
        path.Key("unsqueeze").where());
  }
  for (std::size_t i = 0; i < list->as_array().size(); ++i) {
    const Json& entry = list->as_array()[i];
    const auto dim = ExactInteger(&entry, -kMaxUnsqueezeDimension, kMaxUnsqueezeDimension);
    if (!dim) {
      return Fail("bd.unsqueeze_dim",
                  fmt::format("an unsqueeze is an integer in -{0}..{0}, not {1}",
                              kMaxUnsqueezeDimension, Spell(&entry)),
                  path.Key("unsqueeze").At(i).where());
    }
    binding.unsqueeze.push_back(static_cast<int>(*dim));
  }
  return {};
}

Status ParseAssumedAlign(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* align = Present(row, "assumed_align");
  if (align == nullptr) return {};
  ASSIGN_OR_RETURN(const int bytes, ParseAlignment(align, path.Key("assumed_align")));
  binding.assumed_align = bytes;
  return {};
}

Status ParseTensorOptions(const Json& row, const KeyPath& path, Binding& binding) {
  if (binding.projection != Projection::kDescriptor) {
    return Fail("bd.tensor_proj",
                fmt::format("a tensor binding projects `descriptor`, not `{}`",
                            ProjectionName(binding.projection)),
                path.Key("projection").where());
  }
  RETURN_IF_ERROR(ParseUnsqueeze(row, path, binding));
  RETURN_IF_ERROR(ParseAssumedAlign(row, path, binding));
  const Json* leading = Present(row, "leading_dim");
  if (leading == nullptr) return {};
  const auto dim = ExactInteger(leading, 0, kMaxLeadingDim);
  if (!dim) {
    return Fail(
        "bd.leading",
        fmt::format("`leading_dim` is an integer in 0..{}, not {}", kMaxLeadingDim, Spell(leading)),
        path.Key("leading_dim").where());
  }
  binding.leading_dim = static_cast<int>(*dim);
  return {};
}

Status ParsePointerOptions(const Json& row, const KeyPath& path, Binding& binding) {
  switch (binding.projection) {
    case Projection::kIdentity:
    case Projection::kDevicePtr:
    case Projection::kNativeHandle:
    case Projection::kPeerPtrTable:
      return ParseAssumedAlign(row, path, binding);
    case Projection::kDescriptor:
    case Projection::kValue:
    case Projection::kShape:
    case Projection::kStride:
    case Projection::kNumel:
    case Projection::kRank:
    case Projection::kSize:
    case Projection::kStorageOffset:
    case Projection::kTuple:
      return Fail(
          "bd.pointer_proj",
          fmt::format("a pointer binding cannot project `{}`", ProjectionName(binding.projection)),
          path.Key("projection").where(),
          "use identity, device_ptr, native_handle or peer_ptr_table");
  }
  std::unreachable();
}

Status ParseAggregateOptions(const Json& row, const KeyPath& path, Binding& binding) {
  if (binding.projection != Projection::kTuple) {
    return Fail(
        "bd.agg_proj",
        fmt::format("an aggregate projects `tuple`, not `{}`", ProjectionName(binding.projection)),
        path.Key("projection").where());
  }
  const auto cast = IndexOf(kComponentCasts, row.Find("component_cast"));
  if (!cast) {
    return Fail("bd.agg_ccast",
                fmt::format("`component_cast` is {}, not {}", JoinNames(kComponentCasts),
                            Spell(row.Find("component_cast"))),
                path.Key("component_cast").where());
  }
  binding.component_cast = *cast == 0 ? ScalarType::kI32 : ScalarType::kI64;
  return {};
}

Status ParseCast(const Json& row, const KeyPath& path, Binding& binding) {
  if (binding.kind == BindingKind::kScalar) return ParseScalarCast(row, path, binding);
  if (binding.kind == BindingKind::kAggregate) return ParseAggregateCast(row, path, binding);
  return {};
}

Status ParseKindOptions(const Json& row, const KeyPath& path, Binding& binding) {
  switch (binding.kind) {
    case BindingKind::kTensor:
      return ParseTensorOptions(row, path, binding);
    case BindingKind::kPointer:
      return ParsePointerOptions(row, path, binding);
    case BindingKind::kAggregate:
      return ParseAggregateOptions(row, path, binding);
    case BindingKind::kScalar:
    case BindingKind::kStream:
    case BindingKind::kGroup:
    case BindingKind::kOpaque:
      return {};
  }
  std::unreachable();
}

Status ParseAxis(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* axis = Present(row, "axis");
  const bool needed =
      binding.projection == Projection::kShape || binding.projection == Projection::kStride;
  if (!needed) {
    if (axis == nullptr) return {};
    return Fail(
        "bd.axis_forbidden",
        fmt::format("the projection `{}` takes no axis", ProjectionName(binding.projection)),
        path.Key("axis").where(), "leave `axis` out");
  }
  const auto number = ExactInteger(axis, 0, kMaxAxis);
  if (!number) {
    return Fail("bd.axis",
                fmt::format("the projection `{}` needs an axis of 0..{}, not {}",
                            ProjectionName(binding.projection), kMaxAxis, Spell(axis)),
                path.Key("axis").where());
  }
  binding.axis = static_cast<int>(*number);
  return {};
}

Status ParsePeerResource(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* peer = Present(row, "peer_resource");
  if (binding.projection != Projection::kPeerPtrTable) {
    if (peer == nullptr) return {};
    return Fail("bd.peer_option", "only `peer_ptr_table` takes a `peer_resource`",
                path.Key("peer_resource").where());
  }
  if (!IsSourceName(TextOf(peer))) {
    return Fail("bd.source_name",
                fmt::format("`peer_ptr_table` needs the name of a resource, not {}", Spell(peer)),
                path.Key("peer_resource").where(),
                "name a declared artifact resource with scope group_ipc");
  }
  binding.peer_resource = TextOf(peer);
  return {};
}

Status ParseSource(const Json& row, const KeyPath& path, Binding& binding) {
  if (binding.kind == BindingKind::kAggregate) return {};
  const Json* source = row.Find("source");
  if (!IsSourceName(TextOf(source))) {
    return Fail("bd.source_name", fmt::format("{} is no resource name", Spell(source)),
                path.Key("source").where(), "write for example source = \"input.x\"");
  }
  binding.source = TextOf(source);
  return {};
}

Status ParseContainers(const Json& row, const KeyPath& path, Binding& binding) {
  const Json* unsqueeze = Present(row, "unsqueeze");
  if (unsqueeze != nullptr && !unsqueeze->is_array()) {
    return Fail("bd.unsqueeze_type", fmt::format("`unsqueeze` is a list, not {}", Spell(unsqueeze)),
                path.Key("unsqueeze").where());
  }
  if (binding.kind != BindingKind::kAggregate) return {};
  ASSIGN_OR_RETURN(binding.components,
                   ParseComponents(*row.Find("components"), path.Key("components")));
  return {};
}

Result<Binding> ParseBinding(const Json& row, const KeyPath& path) {
  if (!row.is_object()) {
    return Fail("bd.table", fmt::format("a binding is a table, not {}", Spell(&row)), path.where());
  }
  const auto kind = IndexOf(kKindNames, row.Find("kind"));
  if (!kind) {
    return Fail("bd.kind", fmt::format("{} is no kind of binding", Spell(row.Find("kind"))),
                path.Key("kind").where(), fmt::format("kinds: {}", JoinNames(kKindNames)));
  }
  Binding binding{.kind = static_cast<BindingKind>(*kind)};
  const KindRule rule = RuleOf(binding.kind);
  if (const auto problem = FindFieldProblem(row.as_object(), rule.required, rule.optional)) {
    return Fail("bd.fields",
                fmt::format("{} binding: {}", BindingKindName(binding.kind), problem->message),
                path.where(), problem->hint);
  }
  RETURN_IF_ERROR(ParseContainers(row, path, binding));
  RETURN_IF_ERROR(ParseSource(row, path, binding));
  RETURN_IF_ERROR(ParseProjection(row, path, binding));
  RETURN_IF_ERROR(ParseCast(row, path, binding));
  RETURN_IF_ERROR(ParseKindOptions(row, path, binding));
  RETURN_IF_ERROR(ParseAxis(row, path, binding));
  RETURN_IF_ERROR(ParsePeerResource(row, path, binding));
  if (binding.kind == BindingKind::kAggregate) {
    RETURN_IF_ERROR(CheckComponents(binding, path.Key("components")));
  }
  return binding;
}

}  // namespace

std::string_view BindingKindName(BindingKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::string_view ProjectionName(Projection projection) {
  return kProjectionNames[static_cast<std::size_t>(projection)];
}

Result<std::vector<Binding>> ParseBindings(const Json& rows, const KeyPath& path) {
  if (!rows.is_array()) {
    return Fail("bd.list", fmt::format("`bindings` is a list, not {}", Spell(&rows)), path.where());
  }
  const Json::Array& list = rows.as_array();
  if (list.empty() || list.size() > kMaxBindings) {
    return Fail("bd.count",
                fmt::format("an export has 1..{} bindings, not {}", kMaxBindings, list.size()),
                path.where());
  }
  std::vector<Binding> bindings;
  bindings.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(Binding binding, ParseBinding(list[i], path.At(i)));
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

}  // namespace cacheon::artifact
