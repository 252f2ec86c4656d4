// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verification procedure on one bundle.

#include <string>

#include "cacheon/verify/options.h"
#include "cacheon/verify/verdict.h"

namespace cacheon::verify {

// Verifies the bundle in `directory`. Always gives a verdict: what went wrong, on whichever side,
// is in its errors. Leaves no process, no memory file and no temporary folder behind.
Verdict Verify(const std::string& directory, const Options& options);

}  // namespace cacheon::verify
