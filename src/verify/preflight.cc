// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/preflight.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cacheon/policy/declare.h"
#include "cacheon/policy/domain.h"
#include "cacheon/policy/routing.h"

namespace cacheon::verify {
namespace {

bool IsChosen(const bundle::OpRow& row, const std::vector<RowFilter>& filters) {
  return filters.empty() || std::ranges::any_of(filters, [&](const RowFilter& filter) {
           return filter.slot == row.slot &&
                  (filter.variant.empty() || filter.variant == row.variant);
         });
}

Place PlaceOf(const bundle::Manifest& manifest, const bundle::OpRow& row) {
  Place place = manifest.places ? manifest.places->OfValue(row.key_path) : Place{};
  place.key_path = row.key_path;
  return place;
}

}  // namespace

Preflight CheckDomains(const std::string& root, const bundle::Manifest& manifest,
                       const Options& options) {
  Preflight preflight;
  policy::RouteRegistry registry;
  for (const bundle::OpRow& row : manifest.ops) {
    const slots::Slot* slot = slots::FindSlot(row.slot, options.model);
    const bool chosen = IsChosen(row, options.rows);
    if (slot == nullptr) {
      if (chosen) preflight.rows.push_back({.row = &row, .slot = nullptr, .eligibility = {}});
      continue;
    }
    Result<policy::RowEligibility> read =
        policy::ReadEligibility(root, manifest, row, options.mode);
    Status registered;
    if (read) {
      std::ranges::move(read->warnings, std::back_inserter(preflight.warnings));
      registered = registry.Register({.slot = row.slot,
                                      .variant = row.variant,
                                      .eligibility = read->eligibility,
                                      .where = PlaceOf(manifest, row)});
    }
    if (!read || !registered) {
      Error error = std::move(read ? registered.error() : read.error());
      preflight.errors.push_back(std::move(error).While("checking the domain of " + row.key_path));
      continue;
    }
    if (chosen) {
      preflight.rows.push_back(
          {.row = &row, .slot = slot, .eligibility = std::move(read->eligibility)});
    }
  }
  return preflight;
}

std::vector<tensor::DType> DTypesToRun(const policy::Eligibility& eligibility,
                                       const Options& options) {
  using tensor::DType;
  if (!options.dtypes.empty()) return options.dtypes;
  const policy::Domain domain = policy::Domain::Of(eligibility);
  const auto constraint = std::ranges::find(
      domain.constraints(), policy::FieldName(policy::Field::kDtype), &policy::Constraint::field);
  if (constraint == domain.constraints().end()) return {DType::kBFloat16};
  std::vector<DType> dtypes;
  for (const DType dtype : kVerifiedDTypes) {
    if (constraint->Admits(policy::Scalar(std::string(tensor::Name(dtype)))))
      dtypes.push_back(dtype);
  }
  return dtypes;
}

}  // namespace cacheon::verify
