// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Canonical forms of the parts of exports.

#include <vector>

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// Rows {capability, projection, source}.
Json RequirementsToJson(const std::vector<ProviderRequirement>& requirements);
// Rows {capability_field, source}.
Json RequirementsToJson(const std::vector<SpecializationRequirement>& requirements);

}  // namespace cacheon::artifact
