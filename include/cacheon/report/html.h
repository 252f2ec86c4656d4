// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verdict documents as one self-contained page: no script, no font, nothing that is fetched.

#include <span>
#include <string>

#include "cacheon/core/json.h"

namespace cacheon::report {

// A malformed document gives a page with gaps. Text that came from a bundle is escaped.
std::string HtmlPage(std::span<const Json> documents);

}  // namespace cacheon::report
