// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a row serves a call, and if not, why not. This is the authoritative rule and the one that
// explains itself; RouteTable decides the same without allocating.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/policy/descriptor.h"
#include "cacheon/policy/eligibility.h"

namespace cacheon::policy {

enum class MismatchReason : std::uint8_t {
  kMissing,        // the row constrains the field and the call does not say
  kOutsideDomain,  // the call's value is not one that the row serves
};
std::string_view MismatchReasonName(MismatchReason reason);  // "missing", "outside_domain"

struct Mismatch {
  std::string field;
  MismatchReason reason;
  std::string expected;          // "exactly 64", "one of ['a', 'b']", "in [1, inf]", ...
  std::optional<Scalar> actual;  // unset when missing

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

// Every condition of the row that the call breaks, in the order: dtypes, architectures, last_dim,
// num_tokens, quant, graph, then the predicates by field. The same finding is reported once. Empty:
// the row serves the call.
std::vector<Mismatch> Match(const Eligibility& row, const CallDescriptor& call);

// "num_tokens is 300, the row serves in [1, 256]".
std::string MismatchText(const Mismatch& mismatch);

// What the positional lookup of activation.silu_and_mul and norm.rmsnorm knows of a call.
struct LegacyCall {
  std::string dtype;  // any spelling
  std::int64_t last_dim = 0;
  std::optional<std::string> architecture = {};  // unset: unknown
  std::optional<std::int64_t> num_tokens = {};   // unset: unknown
};

// The positional lookup: an unknown architecture or token count passes the lists and bounds but no
// predicate; quant and graph_safe are not consulted. A blank dtype or architecture is cap.value.
Result<bool> LegacyAccepts(const Eligibility& row, const LegacyCall& call);

}  // namespace cacheon::policy
