// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What other runners need of the slots' references.

#include <string>

#include "cacheon/conformance.h"

namespace cacheon::conformance {

// The forward of a tagged NVFP4 layer (`view`, `inputs`, `activation`, `layout`) against its exact
// outputs.
CaseResult CompareNvfp4Forward(const Json& the_case, const std::string& name);

}  // namespace cacheon::conformance
