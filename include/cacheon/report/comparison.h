// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two verdict documents side by side, for a terminal.

#include <string>

#include "cacheon/core/json.h"

namespace cacheon::report {

// The bundles, seeds and statuses; then every row with the statuses and the worst measures of both;
// then the cases whose status differs. Rows and cases that only one document has are shown with `-`
// for the other. Cases are the same when dtype, parameters, layout and value profile are, so that
// documents with different seeds mostly share those cases alone whose counts are not jittered.
std::string ComparisonText(const Json& left, const Json& right);

}  // namespace cacheon::report
