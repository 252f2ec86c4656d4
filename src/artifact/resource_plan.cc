// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/resource_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/alignment.h"
#include "src/artifact/extent.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// In the order of Lifetime.
constexpr std::string_view kPrefixes[] = {"workspace", "prepared", "state"};
constexpr std::string_view kLifetimeNames[] = {"call", "prepared", "engine"};
// In the order of ResourceScope.
constexpr std::string_view kScopeNames[] = {"rank_local", "group_ipc"};

struct ElementType {
  std::string_view name;
  int bytes;
};

constexpr ElementType kElementTypes[] = {
    {"bool", 1},       {"i8", 1},  {"u8", 1},  {"f8e4m3fn", 1}, {"f8e4m3fnuz", 1}, {"f8e5m2", 1},
    {"f8e5m2fnuz", 1}, {"i16", 2}, {"u16", 2}, {"f16", 2},      {"bf16", 2},       {"i32", 4},
    {"u32", 4},        {"f32", 4}, {"i64", 8}, {"u64", 8},      {"f64", 8},
};

Status ParseShape(const Json& row, const KeyPath& path, ArtifactResource& resource) {
  const Json* shape = row.Find("shape");
  if (!shape->is_array()) {
    return Fail("rs.shape_type", fmt::format("`shape` is a list, not {}", Spell(shape)),
                path.where());
  }
  for (std::size_t i = 0; i < shape->as_array().size(); ++i) {
    ASSIGN_OR_RETURN(Extent extent, ParseExtent(shape->as_array()[i], path.At(i)));
    resource.shape.push_back(std::move(extent));
  }
  return {};
}

Status ParseName(const Json& row, const KeyPath& path, ArtifactResource& resource) {
  const Json* name = row.Find("name");
  if (!IsResourceName(TextOf(name), kPrefixes, 1)) {
    return Fail("rs.name", fmt::format("{} is no name of an artifact resource", Spell(name)),
                path.Key("name").where(),
                "write workspace, prepared or state and one to three parts: workspace.partials");
  }
  resource.name = TextOf(name);
  const std::string_view prefix = TextOf(name).substr(0, resource.name.find('.'));
  const auto index =
      static_cast<std::size_t>(std::ranges::find(kPrefixes, prefix) - std::begin(kPrefixes));
  resource.lifetime = static_cast<Lifetime>(index);
  if (TextOf(row.Find("lifetime")) != kLifetimeNames[index]) {
    return Fail("rs.lifetime",
                fmt::format("a `{}` resource has lifetime `{}`, not {}", prefix,
                            kLifetimeNames[index], Spell(row.Find("lifetime"))),
                path.Key("lifetime").where());
  }
  return {};
}

Status ParseScope(const Json& row, const KeyPath& path, ArtifactResource& resource) {
  const Json* scope = Present(row, "scope");
  if (scope == nullptr) return {};
  const auto index = IndexOf(kScopeNames, scope);
  if (!index) {
    return Fail("rs.scope",
                fmt::format("a scope is {}, not {}", JoinNames(kScopeNames), Spell(scope)),
                path.Key("scope").where());
  }
  resource.scope = static_cast<ResourceScope>(*index);
  if (resource.scope == ResourceScope::kGroupIpc && resource.lifetime == Lifetime::kCall) {
    return Fail("rs.ipc_call", "storage of one call cannot be shared with the group",
                path.Key("scope").where(), "use a prepared or state resource");
  }
  return {};
}

Status ParseElementType(const Json& row, const KeyPath& path, ArtifactResource& resource) {
  const auto type = std::ranges::find(kElementTypes, TextOf(row.Find("dtype")), &ElementType::name);
  if (type == std::end(kElementTypes)) {
    return Fail("rs.dtype", fmt::format("{} is no dtype of resources", Spell(row.Find("dtype"))),
                path.Key("dtype").where());
  }
  resource.dtype = type->name;
  resource.element_bytes = type->bytes;
  ASSIGN_OR_RETURN(resource.alignment,
                   ParseAlignment(row.Find("alignment"), path.Key("alignment")));
  if (resource.alignment < resource.element_bytes) {
    return Fail("rs.align_dtype",
                fmt::format("an alignment of {} is below the {} bytes of {}", resource.alignment,
                            resource.element_bytes, resource.dtype),
                path.Key("alignment").where());
  }
  return {};
}

Status CheckSize(const KeyPath& path, ArtifactResource& resource) {
  if (resource.shape.empty() || resource.shape.size() > kMaxTensorRank) {
    return Fail(
        "rs.rank",
        fmt::format("a shape has 1..{} extents, not {}", kMaxTensorRank, resource.shape.size()),
        path.Key("shape").where());
  }
  for (const Extent& extent : resource.shape) {
    // Both are at most 2^36, so that the product stays below 2^67: hence the check before it.
    if (resource.maximum_elements > kMaxResourceElements / extent.maximum) {
      return Fail("rs.elements", "the resource has more than 2^36 elements at its largest",
                  path.Key("shape").where());
    }
    resource.maximum_elements *= extent.maximum;
  }
  if (resource.maximum_bytes() > kMaxResourceBytes) {
    return Fail("rs.bytes",
                fmt::format("the resource has {} bytes at its largest, above 64 GiB",
                            resource.maximum_bytes()),
                path.Key("shape").where());
  }
  return {};
}

Result<ArtifactResource> ParseResource(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"name", "dtype", "alignment", "lifetime",
                                                   "shape"};
  static constexpr std::string_view kOptional[] = {"scope"};
  if (!row.is_object()) {
    return Fail("bd.table", fmt::format("a resource is a table, not {}", Spell(&row)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kRequired, kOptional)) {
    return Fail("rs.fields", problem->message, path.where(), problem->hint);
  }
  ArtifactResource resource;
  RETURN_IF_ERROR(ParseShape(row, path.Key("shape"), resource));
  RETURN_IF_ERROR(ParseName(row, path, resource));
  RETURN_IF_ERROR(ParseScope(row, path, resource));
  RETURN_IF_ERROR(ParseElementType(row, path, resource));
  RETURN_IF_ERROR(CheckSize(path, resource));
  return resource;
}

bool IsAdmittedFactor(const CallResource& source, FactorProjection projection) {
  switch (projection) {
    case FactorProjection::kShape:
    case FactorProjection::kNumel:
    case FactorProjection::kRank:
      return source.kind == ResourceKind::kTensor;
    case FactorProjection::kValue:
      return source.kind == ResourceKind::kScalar && source.access != Access::kWrite &&
             ClassOf(*source.scalar_type) == ScalarClass::kInteger;
    case FactorProjection::kSize:
      return source.kind == ResourceKind::kGroup;
  }
  std::unreachable();
}

bool IsKnownAtPrepare(const CallAbi& abi, std::string_view source) {
  if (abi.prepare_result.empty()) return IsCallArg(abi, source);
  return std::ranges::find(abi.prepare_args, source) != abi.prepare_args.end();
}

Status CheckFactor(const LiveFactor& factor, Lifetime lifetime, const CallAbi& abi,
                   const KeyPath& path) {
  const CallResource* source = FindResource(abi, factor.source);
  if (source == nullptr) {
    return Fail("rs.source_unknown",
                fmt::format("`{}` is no resource of {}", factor.source, abi.slot),
                path.Key("source").where(),
                "shapes may only name resources of the slot, never other artifact resources");
  }
  if (!IsAdmittedFactor(*source, factor.projection)) {
    return Fail(
        "rs.relation",
        fmt::format("`{}` of the {} `{}` is no factor", FactorProjectionName(factor.projection),
                    ResourceKindName(source->kind), factor.source),
        path.Key("projection").where());
  }
  if (lifetime == Lifetime::kPrepared && !IsKnownAtPrepare(abi, factor.source)) {
    return Fail("rs.prep_source",
                fmt::format("`{}` is not known when prepared storage is allocated", factor.source),
                path.Key("source").where(), "name a positional argument of the slot");
  }
  return {};
}

Status CheckSources(const ArtifactResource& resource, const CallAbi& abi, const KeyPath& path) {
  for (std::size_t i = 0; i < resource.shape.size(); ++i) {
    for (std::size_t j = 0; j < resource.shape[i].factors.size(); ++j) {
      const auto* factor = std::get_if<LiveFactor>(&resource.shape[i].factors[j]);
      if (factor == nullptr) continue;
      RETURN_IF_ERROR(CheckFactor(*factor, resource.lifetime, abi,
                                  path.Key("shape").At(i).Key("factors").At(j)));
    }
  }
  return {};
}

Status CheckNames(const std::vector<ArtifactResource>& resources, const CallAbi& abi,
                  const KeyPath& path) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string& name = resources[i].name;
    if (!seen.insert(name).second) {
      return Fail("rs.dup", fmt::format("`{}` is declared twice", name),
                  path.At(i).Key("name").where());
    }
    if (FindResource(abi, name) != nullptr) {
      return Fail("rs.collide", fmt::format("`{}` is a resource of the slot itself", name),
                  path.At(i).Key("name").where());
    }
  }
  return {};
}

Status CheckTotal(const std::vector<ArtifactResource>& resources, const KeyPath& path) {
  std::int64_t total = 0;
  for (const ArtifactResource& resource : resources) total += resource.maximum_bytes();
  if (total <= kMaxResourceBytesTotal) return {};
  return Fail("rs.total",
              fmt::format("the resources have {} bytes at their largest, above 128 GiB", total),
              path.where());
}

}  // namespace

std::string_view LifetimeName(Lifetime lifetime) {
  return kLifetimeNames[static_cast<std::size_t>(lifetime)];
}

std::string_view ResourceScopeName(ResourceScope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}

const ArtifactResource* FindArtifactResource(const ResourcePlan& plan, std::string_view name) {
  const auto found = std::ranges::lower_bound(plan.resources, name, {}, &ArtifactResource::name);
  return found != plan.resources.end() && found->name == name ? &*found : nullptr;
}

Result<ResourcePlan> ParseResourcePlan(const Json& rows, const CallAbi& abi, const KeyPath& path) {
  if (!rows.is_array()) {
    return Fail("rs.list", fmt::format("`artifact_resources` is a list, not {}", Spell(&rows)),
                path.where());
  }
  const Json::Array& list = rows.as_array();
  if (list.size() > kMaxResources) {
    return Fail("rs.count",
                fmt::format("at most {} artifact resources, not {}", kMaxResources, list.size()),
                path.where());
  }
  std::vector<ArtifactResource> resources;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(ArtifactResource resource, ParseResource(list[i], path.At(i)));
    resources.push_back(std::move(resource));
  }
  RETURN_IF_ERROR(CheckTotal(resources, path));
  RETURN_IF_ERROR(CheckNames(resources, abi, path));
  for (std::size_t i = 0; i < resources.size(); ++i) {
    RETURN_IF_ERROR(CheckSources(resources[i], abi, path.At(i)));
  }
  std::ranges::sort(resources, {}, &ArtifactResource::name);
  return ResourcePlan{std::string(abi.slot), std::move(resources)};
}

}  // namespace cacheon::artifact
