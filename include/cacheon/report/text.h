// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The view of a verdict document for a terminal.

#include <string>

#include "cacheon/core/json.h"

namespace cacheon::report {

struct TextOptions {
  bool every_case = false;  // also the cases that passed, one line each
  bool colour = false;
};

// `document` is a cacheon.verdict.v1 document whose form has been checked. Text that came from the
// bundle is printed with control characters escaped.
std::string VerdictText(const Json& document, const TextOptions& options);

}  // namespace cacheon::report
