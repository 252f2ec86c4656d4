// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verdict documents as JUnit XML, which CI services show as test results.

#include <span>
#include <string>

#include "cacheon/core/json.h"

namespace cacheon::report {

// One suite per row, one test per case, and one test named `row` or `bundle` for errors that belong
// to no case. FAIL is a failure, ERROR an error, a case that is not applicable is skipped; a row in
// which nothing ran is a failure. A malformed document gives a report with gaps.
std::string JUnitXml(std::span<const Json> documents);

}  // namespace cacheon::report
