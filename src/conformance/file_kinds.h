// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runners, one source file per kind of vector file.

#include "cacheon/conformance.h"

namespace cacheon::conformance {

using Cases = Result<std::vector<CaseResult>>;

Cases RunCanonicalJson(const Json& document);
Cases RunComparators(const Json& document);
Cases RunNvfp4(const Json& document);
Cases RunRouting(const Json& document);
Cases RunTargetCatalog(const Json& document);

}  // namespace cacheon::conformance
