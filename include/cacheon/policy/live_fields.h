// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the live call sites of each slot say about a call. A row that constrains a field which its
// slot never says, or to a value that the slot never has, is accepted and never called.

#include <span>
#include <string_view>
#include <vector>

#include "cacheon/core/error.h"
#include "cacheon/policy/eligibility.h"
#include "cacheon/policy/field.h"

namespace cacheon::policy {

// A field of live descriptors. `values` are all it can have; empty means that it depends on the
// call.
struct LiveField {
  Field field;
  std::vector<std::string_view> values = {};  // text, or one decimal integer
};

// Sorted by field; empty for a slot that has no live call site of its own.
std::span<const LiveField> LiveFields(std::string_view slot);

// The slot is looked up by position, not by descriptor: quant and graph_safe are not consulted.
bool UsesLegacyLookup(std::string_view slot);

// Warnings about a row that no live call can reach: route.unreachable_field,
// route.unreachable_value (key path: that of the metadata), or route.no_live_site. Nothing is said
// about unknown slots.
std::vector<Error> ReachabilityWarnings(std::string_view slot, const Eligibility& row);

}  // namespace cacheon::policy
