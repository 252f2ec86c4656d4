// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One extent of an artifact resource's shape.

#include "cacheon/artifact/resource_plan.h"

namespace cacheon::artifact {

// Reads `{factors = [...], divisor = N}` and computes its maximum. Codes rs.extent_*, rs.factor*,
// rs.static, rs.projection, rs.upper, rs.axis, rs.divisor, rs.product.
Result<Extent> ParseExtent(const Json& value, const KeyPath& path);

}  // namespace cacheon::artifact
