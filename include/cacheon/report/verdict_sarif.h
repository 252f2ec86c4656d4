// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The errors of a verdict document, as SarifLog takes them.

#include <string_view>
#include <vector>

#include "cacheon/core/error.h"
#include "cacheon/core/json.h"

namespace cacheon::report {

// Those of the bundle, then of each row and its cases, the sentence led by the row's name. What
// cases of a row have in common (code and place) is given once, for the first of them, with their
// number. Files are put below `folder`. A code that this version does not know is left out, as is
// whatever is no error object.
std::vector<Error> ErrorsOf(const Json& document, std::string_view folder = "");

}  // namespace cacheon::report
