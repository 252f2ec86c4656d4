// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a verdict document says about how it came about, for a run that repeats it. A document is
// untrusted input: anybody can write one whose digest fits.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/verify/options.h"

namespace cacheon::verify {

inline constexpr std::size_t kMaxVerdictBytes = std::size_t{64} << 20U;

struct VerdictChoices {
  std::uint64_t seed = 0;
  bundle::Mode mode = bundle::Mode::kStrict;
  CaseList cases = CaseList::kAll;
  std::string model;                  // empty: none
  std::vector<tensor::DType> dtypes;  // empty: as the rows admit
};

// Reads one document, or a list of them as `cacheon verify --json` writes for several bundles, and
// checks schema and digest of each; never gives none. Codes: verdict.syntax, verdict.schema,
// verdict.digest.
Result<Json::Array> ReadVerdicts(std::string_view text);

// The choices of a document that ReadVerdicts gave. Code: verdict.form (a member is missing or not
// of the kind that it must be), with the key path.
Result<VerdictChoices> ChoicesOf(const Json& document);

}  // namespace cacheon::verify
