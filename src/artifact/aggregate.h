// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The component tree of an aggregate binding.

#include <vector>

#include "cacheon/artifact/binding.h"

namespace cacheon::artifact {

// Reads `components` without judging the shape of the tree. Codes bd.components_type, bd.agg_node,
// bd.agg_fields, bd.agg_static, bd.agg_leafproj, bd.agg_leafcastval, bd.agg_leafaxis,
// bd.source_name.
Result<std::vector<AggregateNode>> ParseComponents(const Json& components, const KeyPath& path);

// Depth, children and leaves of the tree, and that every dynamic leaf has the component's cast.
// Codes bd.agg_depth, bd.agg_children, bd.agg_leaves, bd.agg_dynamic, bd.agg_leafcast.
Status CheckComponents(const Binding& binding, const KeyPath& path);

}  // namespace cacheon::artifact
