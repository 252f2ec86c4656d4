// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kLeafProjections[] = {"value", "shape", "stride"};
constexpr std::string_view kLeafCasts[] = {"i32", "i64"};

Result<AggregateNode> ParseStaticLeaf(const Json& leaf, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"static"};
  if (const auto problem = FindFieldProblem(leaf.as_object(), kKeys)) {
    return Fail("bd.agg_fields", problem->message, path.where(),
                "a static leaf is exactly { static = NUMBER }");
  }
  const Json* number = leaf.Find("static");
  if (!number->is_int64()) {
    return Fail("bd.agg_static",
                fmt::format("a static leaf is a signed 64-bit integer, not {}", Spell(number)),
                path.Key("static").where());
  }
  return AggregateNode{StaticLeaf{number->as_int64()}};
}

Result<std::optional<int>> ParseLeafAxis(const Json& leaf, Projection projection,
                                         const KeyPath& path) {
  const Json* axis = Present(leaf, "axis");
  if (projection == Projection::kValue) {
    if (axis == nullptr) return std::nullopt;
    return Fail("bd.agg_leafaxis", "a `value` leaf takes no axis", path.Key("axis").where(),
                "leave `axis` out");
  }
  const auto number = ExactInteger(axis, 0, kMaxAxis);
  if (number) return static_cast<int>(*number);
  return Fail("bd.agg_leafaxis",
              fmt::format("a `{}` leaf needs an axis of 0..{}, not {}", ProjectionName(projection),
                          kMaxAxis, Spell(axis)),
              path.Key("axis").where());
}

Result<AggregateNode> ParseDynamicLeaf(const Json& leaf, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"source", "projection", "cast"};
  static constexpr std::string_view kOptional[] = {"axis"};
  static constexpr Projection kProjections[] = {Projection::kValue, Projection::kShape,
                                                Projection::kStride};
  if (const auto problem = FindFieldProblem(leaf.as_object(), kRequired, kOptional)) {
    return Fail("bd.agg_fields", problem->message, path.where(), problem->hint);
  }
  const Json* source = leaf.Find("source");
  if (!IsSourceName(TextOf(source))) {
    return Fail("bd.source_name", fmt::format("{} is no resource name", Spell(source)),
                path.Key("source").where());
  }
  const auto projection = IndexOf(kLeafProjections, leaf.Find("projection"));
  if (!projection) {
    return Fail("bd.agg_leafproj",
                fmt::format("a leaf projects {}, not {}", JoinNames(kLeafProjections),
                            Spell(leaf.Find("projection"))),
                path.Key("projection").where());
  }
  const auto cast = IndexOf(kLeafCasts, leaf.Find("cast"));
  if (!cast) {
    return Fail("bd.agg_leafcastval",
                fmt::format("a leaf is cast to {}, not {}", JoinNames(kLeafCasts),
                            Spell(leaf.Find("cast"))),
                path.Key("cast").where());
  }
  DynamicLeaf result{.source = std::string(TextOf(source)),
                     .projection = kProjections[*projection],
                     .cast = *cast == 0 ? ScalarType::kI32 : ScalarType::kI64};
  ASSIGN_OR_RETURN(result.axis, ParseLeafAxis(leaf, result.projection, path));
  return AggregateNode{std::move(result)};
}

Result<AggregateNode> ParseNode(const Json& node, const KeyPath& path) {
  if (node.is_array()) {
    ASSIGN_OR_RETURN(std::vector<AggregateNode> children, ParseComponents(node, path));
    return AggregateNode{std::move(children)};
  }
  if (!node.is_object()) {
    return Fail("bd.agg_node",
                fmt::format("a component is a leaf table or a list, not {}", Spell(&node)),
                path.where());
  }
  return node.Find("static") != nullptr ? ParseStaticLeaf(node, path)
                                        : ParseDynamicLeaf(node, path);
}

struct LeafCounts {
  int all = 0;
  int dynamic = 0;
};

Status CheckTree(const std::vector<AggregateNode>& children, int depth, LeafCounts& leaves,
                 const KeyPath& path) {
  if (depth > kMaxAggregateDepth) {
    return Fail("bd.agg_depth",
                fmt::format("components nest deeper than {} lists", kMaxAggregateDepth),
                path.where());
  }
  if (children.empty() || children.size() > kMaxAggregateChildren) {
    return Fail("bd.agg_children",
                fmt::format("a list of components has 1..{} members, not {}", kMaxAggregateChildren,
                            children.size()),
                path.where());
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto* list = std::get_if<std::vector<AggregateNode>>(&children[i].value);
    if (list != nullptr) {
      RETURN_IF_ERROR(CheckTree(*list, depth + 1, leaves, path.At(i)));
      continue;
    }
    ++leaves.all;
    if (std::holds_alternative<DynamicLeaf>(children[i].value)) ++leaves.dynamic;
  }
  return {};
}

void CollectLeaves(const std::vector<AggregateNode>& children,
                   std::vector<const DynamicLeaf*>& leaves) {
  for (const AggregateNode& child : children) {
    if (const auto* list = std::get_if<std::vector<AggregateNode>>(&child.value)) {
      CollectLeaves(*list, leaves);
    } else if (const auto* leaf = std::get_if<DynamicLeaf>(&child.value)) {
      leaves.push_back(leaf);
    }
  }
}

}  // namespace

Result<std::vector<AggregateNode>> ParseComponents(const Json& components, const KeyPath& path) {
  if (!components.is_array()) {
    return Fail("bd.components_type",
                fmt::format("`components` is a list, not {}", Spell(&components)), path.where());
  }
  std::vector<AggregateNode> nodes;
  for (std::size_t i = 0; i < components.as_array().size(); ++i) {
    ASSIGN_OR_RETURN(AggregateNode node, ParseNode(components.as_array()[i], path.At(i)));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Status CheckComponents(const Binding& binding, const KeyPath& path) {
  LeafCounts leaves;
  RETURN_IF_ERROR(CheckTree(binding.components, 1, leaves, path));
  if (leaves.all > kMaxAggregateLeaves) {
    return Fail(
        "bd.agg_leaves",
        fmt::format("an aggregate has at most {} leaves, not {}", kMaxAggregateLeaves, leaves.all),
        path.where());
  }
  if (leaves.dynamic > kMaxAggregateDynamicLeaves) {
    return Fail("bd.agg_dynamic",
                fmt::format("an aggregate has at most {} dynamic leaves, not {}",
                            kMaxAggregateDynamicLeaves, leaves.dynamic),
                path.where());
  }
  for (const DynamicLeaf* leaf : DynamicLeavesOf(binding)) {
    if (leaf->cast == binding.component_cast) continue;
    return Fail("bd.agg_leafcast",
                fmt::format("the leaf from `{}` is cast to {}, the aggregate's components to {}",
                            leaf->source, ScalarTypeName(leaf->cast),
                            ScalarTypeName(*binding.component_cast)),
                path.where(), "use the component cast in every leaf");
  }
  return {};
}

std::vector<const DynamicLeaf*> DynamicLeavesOf(const Binding& binding) {
  std::vector<const DynamicLeaf*> leaves;
  CollectLeaves(binding.components, leaves);
  return leaves;
}

}  // namespace cacheon::artifact
