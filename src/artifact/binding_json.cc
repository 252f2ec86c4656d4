// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The canonical rows of bindings. Identities are built from them: a key appears only when it is
// set.

#include <utility>

#include "cacheon/artifact/binding.h"

namespace cacheon::artifact {
namespace {

Json LeafToJson(const DynamicLeaf& leaf) {
  Json::Object row{{"source", leaf.source},
                   {"projection", ProjectionName(leaf.projection)},
                   {"cast", ScalarTypeName(leaf.cast)}};
  if (leaf.axis) row["axis"] = *leaf.axis;
  return row;
}

Json NodesToJson(const std::vector<AggregateNode>& nodes) {
  Json::Array list;
  for (const AggregateNode& node : nodes) {
    if (const auto* fixed = std::get_if<StaticLeaf>(&node.value)) {
      list.emplace_back(Json::Object{{"static", fixed->value}});
    } else if (const auto* leaf = std::get_if<DynamicLeaf>(&node.value)) {
      list.push_back(LeafToJson(*leaf));
    } else {
      list.push_back(NodesToJson(std::get<std::vector<AggregateNode>>(node.value)));
    }
  }
  return list;
}

}  // namespace

Json BindingToJson(const Binding& binding) {
  Json::Object row{{"kind", BindingKindName(binding.kind)},
                   {"projection", ProjectionName(binding.projection)}};
  if (!binding.source.empty()) row["source"] = binding.source;
  if (binding.cast) row["cast"] = ScalarTypeName(*binding.cast);
  if (!binding.aggregate_cast.empty()) row["cast"] = binding.aggregate_cast;
  if (binding.assumed_align) row["assumed_align"] = *binding.assumed_align;
  if (binding.leading_dim) row["leading_dim"] = *binding.leading_dim;
  if (binding.axis) row["axis"] = *binding.axis;
  if (binding.component_cast) row["component_cast"] = ScalarTypeName(*binding.component_cast);
  if (!binding.peer_resource.empty()) row["peer_resource"] = binding.peer_resource;
  if (!binding.components.empty()) row["components"] = NodesToJson(binding.components);
  if (!binding.unsqueeze.empty()) {
    Json::Array dims;
    for (const int dim : binding.unsqueeze) dims.emplace_back(dim);
    row["unsqueeze"] = std::move(dims);
  }
  return row;
}

Json BindingsToJson(const std::vector<Binding>& bindings) {
  Json::Array rows;
  for (const Binding& binding : bindings) rows.push_back(BindingToJson(binding));
  return rows;
}

}  // namespace cacheon::artifact
