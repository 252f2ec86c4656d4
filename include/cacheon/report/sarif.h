// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Errors as a SARIF 2.1.0 log, in the form that code-scanning services accept: one run, a rule with
// help for each code that occurs, columns in code points, and a fingerprint that survives moved
// lines.

#include <span>
#include <string>
#include <string_view>

#include "cacheon/core/error.h"
#include "cacheon/core/json.h"

namespace cacheon::report {

// At most this many results are written, the limit of GitHub's upload; errors come before warnings.
inline constexpr std::size_t kMaxSarifResults = 5000;

// `tool_version` is that of the tool; `folder` is put before relative file names, so that they are
// relative to the repository that the bundle lies in ("" when it is the root). Errors without a
// file are placed at the folder's manifest.toml, since a result needs a location to be shown.
Json SarifLog(std::span<const Error> errors, std::string_view tool_version,
              std::string_view folder = "");

}  // namespace cacheon::report
