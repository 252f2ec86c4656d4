// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that is decided about a bundle's rows before any candidate code runs: their capability
// domains, whether they are empty or overlap, and which dtypes to run.

#include <string>
#include <vector>

#include "cacheon/bundle/manifest.h"
#include "cacheon/policy/eligibility.h"
#include "cacheon/slots/slot.h"
#include "cacheon/verify/options.h"

namespace cacheon::verify {

struct AdmittedRow {
  const bundle::OpRow* row;
  const slots::Slot* slot;  // nullptr: the slot is unknown
  policy::Eligibility eligibility;
};

struct Preflight {
  std::vector<AdmittedRow> rows;  // in manifest order, those that the options choose
  std::vector<Error> errors;      // any of them refuses the bundle
  std::vector<Error> warnings;
};

// Reads each row's metadata below `root` and registers the row in an empty registry. `manifest`
// must outlive the result.
Preflight CheckDomains(const std::string& root, const bundle::Manifest& manifest,
                       const Options& options);

// The dtypes to run a row in: those asked for; else of bfloat16, float16 and float32 those that the
// domain admits, and bfloat16 alone when it does not constrain the dtype.
std::vector<tensor::DType> DTypesToRun(const policy::Eligibility& eligibility,
                                       const Options& options);

}  // namespace cacheon::verify
