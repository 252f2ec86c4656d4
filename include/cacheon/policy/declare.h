// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a manifest to what resolution and routing need of it.

#include <string>

#include "cacheon/bundle/manifest.h"
#include "cacheon/core/result.h"
#include "cacheon/policy/eligibility.h"
#include "cacheon/policy/resolve.h"

namespace cacheon::policy {

Declaration Declare(const bundle::Manifest& manifest);

struct RowEligibility {
  Eligibility eligibility;
  std::vector<Error> warnings;  // of the metadata file; empty in compat mode
};

// The eligibility of a row of the bundle at `root`, from its lists and its metadata file. Errors of
// the metadata carry that file, `elig.disjoint` the row. Codes: those of ReadMetadata and
// ParseEligibility, io.open, io.read, io.too_large.
Result<RowEligibility> ReadEligibility(const std::string& root, const bundle::Manifest& manifest,
                                       const bundle::OpRow& row, bundle::Mode mode);

}  // namespace cacheon::policy
