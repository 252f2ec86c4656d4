// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Metadata documents from anybody: reading, eligibility, domain and routing must not crash, hang or
// disagree with each other.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cacheon/policy.h"

using namespace cacheon::policy;  // NOLINT(google-build-using-namespace): a fuzz target is no
                                  // header

namespace {

void CheckDomain(const Eligibility& row) {
  const Domain domain = Domain::Of(row);
  const std::optional<CallDescriptor> witness = domain.Witness();
  CACHEON_CHECK(witness.has_value() == (domain.IsEmpty() == std::optional(false)),
                "a domain is empty exactly when it has no witness");
  if (!witness) return;
  CACHEON_CHECK(Match(row, *witness).empty(), "the row refuses the witness of its domain");
  const RouteTable table({{.slot = "s", .variant = "v", .eligibility = row}});
  CACHEON_CHECK(table.Select(*witness).outcome == RouteOutcome::kSelected,
                "the decision table refuses the witness of its only row");
  CACHEON_CHECK(Overlap(domain, domain) == std::optional(true), "a row does not overlap itself");
  CACHEON_CHECK(FindCoverageGaps(std::vector{domain}).empty() || !row.capabilities.empty(),
                "a row without predicates has a gap");
}

// Canonical spelling drops one underscore after "sm", as the format has it: "sm__0" becomes "sm_0",
// which is not canonical itself. All other spellings are their own canonical form.
bool IsStable(const Eligibility& row) {
  const auto drops_more = [](std::string_view architecture) {
    return architecture.starts_with("sm_");
  };
  return std::ranges::none_of(row.architectures, drops_more) &&
         std::ranges::none_of(row.capabilities, [&](const Predicate& predicate) {
           return predicate.field == FieldName(Field::kArchitecture);
         });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto metadata = ReadMetadata(text);
  if (!metadata) return 0;
  const auto row = ParseEligibility(metadata->value);
  if (row) {
    CheckDomain(*row);
    const std::string projected = EmitMetadata(ProjectMetadata(*row));
    const auto again = ParseEligibility(ReadMetadata(projected).value().value);
    CACHEON_CHECK(!IsStable(*row) || again == *row,
                  "the projection of a row reads back as another row");
    (void)ReachabilityWarnings("attention.decode", *row);
  }
  (void)CallDescriptor::FromJson(metadata->value);
  return 0;
}
