// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/binding_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/artifact/resource_table.h"

namespace cacheon::artifact {
namespace {

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsTensorFact(Projection projection) {
  return projection == Projection::kShape || projection == Projection::kStride ||
         projection == Projection::kNumel || projection == Projection::kRank ||
         projection == Projection::kStorageOffset;
}

// The closed relation between the kind of a source and what may be bound of it.
bool IsAdmitted(ResourceKind source, BindingKind kind, Projection projection) {
  switch (source) {
    case ResourceKind::kTensor:
      return (kind == BindingKind::kTensor && projection == Projection::kDescriptor) ||
             (kind == BindingKind::kPointer && projection == Projection::kDevicePtr) ||
             (kind == BindingKind::kScalar && IsTensorFact(projection));
    case ResourceKind::kScalar:
      return kind == BindingKind::kScalar && projection == Projection::kValue;
    case ResourceKind::kPointer:
      return kind == BindingKind::kPointer && projection == Projection::kIdentity;
    case ResourceKind::kStream:
      return kind == BindingKind::kStream && projection == Projection::kIdentity;
    case ResourceKind::kGroup:
      return (kind == BindingKind::kGroup && projection == Projection::kIdentity) ||
             (kind == BindingKind::kScalar &&
              (projection == Projection::kRank || projection == Projection::kSize)) ||
             (kind == BindingKind::kPointer && !GroupCapabilityOf(projection).empty());
    case ResourceKind::kOpaque:
      return kind == BindingKind::kOpaque && projection == Projection::kIdentity;
  }
  std::unreachable();
}

Status CheckScalarValue(const Binding& binding, const NamedResource& resource,
                        const KeyPath& path) {
  const ScalarType type = *resource.of_slot->scalar_type;
  if (ClassOf(type) == ClassOf(*binding.cast)) return {};
  return Fail("bd.cast_class",
              fmt::format("`{}` is {}, which cannot be cast to {}", binding.source,
                          ScalarTypeName(type), ScalarTypeName(*binding.cast)),
              path.Key("cast").where(),
              "bools stay bools, integers stay integers, floats stay floats");
}

Status CheckGroupPointer(const Binding& binding, const NamedResource& resource,
                         const AotExport& row, const KeyPath& path) {
  const std::string_view capability = GroupCapabilityOf(binding.projection);
  if (Contains(resource.of_slot->capabilities, capability) &&
      Contains(row.provider->capabilities, capability)) {
    return {};
  }
  return Fail("bd.group_cap",
              fmt::format("`{}` needs the capability `{}` of both the group and the provider",
                          ProjectionName(binding.projection), capability),
              path.Key("projection").where());
}

Status CheckPeer(const Binding& binding, const ExportContext& context, const KeyPath& path) {
  if (binding.projection != Projection::kPeerPtrTable) return {};
  const ArtifactResource* peer = FindArtifactResource(context.resources, binding.peer_resource);
  if (peer == nullptr) {
    return Fail("bd.peer_missing",
                fmt::format("`{}` is no declared artifact resource", binding.peer_resource),
                path.Key("peer_resource").where());
  }
  if (peer->scope != ResourceScope::kGroupIpc) {
    return Fail("bd.peer_scope",
                fmt::format("`{}` is not shared with the group", binding.peer_resource),
                path.Key("peer_resource").where(), "declare it with scope = \"group_ipc\"");
  }
  return {};
}

Status CheckLeaf(const DynamicLeaf& leaf, const ExportContext& context, const KeyPath& path) {
  const auto resource = FindNamedResource(context.abi, context.resources, leaf.source);
  if (!resource) {
    return Fail("bd.unknown", fmt::format("`{}` is no resource of this op", leaf.source),
                path.where());
  }
  const bool admitted = leaf.projection == Projection::kValue
                            ? resource->kind == ResourceKind::kScalar &&
                                  resource->access != Access::kWrite &&
                                  ClassOf(*resource->of_slot->scalar_type) == ScalarClass::kInteger
                            : resource->kind == ResourceKind::kTensor;
  if (admitted) return {};
  return Fail("bd.agg_kind",
              fmt::format("`{}` of the {} `{}` is no leaf", ProjectionName(leaf.projection),
                          ResourceKindName(resource->kind), leaf.source),
              path.where(), "leaves are integer scalars and shapes or strides of tensors");
}

Status CheckBinding(const Binding& binding, const AotExport& row, const ExportContext& context,
                    const KeyPath& path) {
  if (binding.kind == BindingKind::kAggregate) {
    for (const DynamicLeaf* leaf : DynamicLeavesOf(binding)) {
      RETURN_IF_ERROR(CheckLeaf(*leaf, context, path.Key("components")));
    }
    return {};
  }
  const auto resource = FindNamedResource(context.abi, context.resources, binding.source);
  if (!resource) {
    return Fail("bd.unknown", fmt::format("`{}` is no resource of this op", binding.source),
                path.Key("source").where(),
                "bind a resource of the slot or a declared artifact resource");
  }
  const bool readable =
      resource->kind != ResourceKind::kScalar || resource->access != Access::kWrite;
  if (!readable || !IsAdmitted(resource->kind, binding.kind, binding.projection)) {
    return Fail("bd.relation",
                fmt::format("the {} `{}` cannot be bound as {}:{}",
                            ResourceKindName(resource->kind), binding.source,
                            BindingKindName(binding.kind), ProjectionName(binding.projection)),
                path.Key("projection").where());
  }
  if (row.role == Role::kRun && !context.abi.prepare_result.empty() &&
      binding.source == context.abi.prepare_result) {
    return Fail("bd.prepare_result", "a run step may not bind the slot's prepare result",
                path.Key("source").where());
  }
  if (binding.projection == Projection::kValue) {
    return CheckScalarValue(binding, *resource, path);
  }
  if (GroupCapabilityOf(binding.projection).empty()) return {};
  RETURN_IF_ERROR(CheckGroupPointer(binding, *resource, row, path));
  return CheckPeer(binding, context, path);
}

}  // namespace

std::string_view GroupCapabilityOf(Projection projection) {
  if (projection == Projection::kNativeHandle) return kGroupNativeHandle;
  if (projection == Projection::kPeerPtrTable) return kGroupPeerPtrTable;
  return {};
}

bool Writes(const Binding& binding, const ExportContext& context) {
  const bool exposes =
      binding.projection == Projection::kDescriptor ||
      binding.projection == Projection::kDevicePtr ||
      (binding.kind == BindingKind::kPointer && binding.projection == Projection::kIdentity);
  if (!exposes) return false;
  const auto resource = FindNamedResource(context.abi, context.resources, binding.source);
  return resource && IsWritable(resource->access);
}

Status CheckBindings(const AotExport& row, const ExportContext& context, const KeyPath& path) {
  for (std::size_t i = 0; i < row.bindings.size(); ++i) {
    RETURN_IF_ERROR(CheckBinding(row.bindings[i], row, context, path.At(i)));
  }
  return {};
}

}  // namespace cacheon::artifact
