// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of the target catalogue, as they are published.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cacheon::policy {

// How outputs are judged; what is not overridden has its default. Decimal texts, as in identities.
struct CorrectnessRow {
  std::string_view mode = "allclose";
  int top_k = 0;
  std::string_view min_ratio = "1";
  std::string_view min_cosine = "0";
  std::string_view max_rel_norm_err = "0";
  std::string_view min_overlap = "0";
};

// Feature sets of the catalogue.
enum class FeatureSet {
  kStandard,
  kNoAheadOfTime,          // without the features of the published provider
  kStandardAndFlashinfer,  // with patches of flashinfer
};

struct SlotRow {
  std::string_view slot;
  std::string_view kind;  // "op", "block", "collective"
  std::string_view entry;
  std::optional<std::string_view> prepare;
  std::vector<std::string_view> graph_dynamic_inputs;
  CorrectnessRow correctness;
  std::optional<std::string_view> kl_threshold;
  std::string_view input_abi_id;
  std::string_view output_abi_id;
  std::string_view reference_id;
  std::string_view verification_profile_id;
  std::string_view binding_family_id;
  std::vector<std::string_view> compatible_with;
  FeatureSet features;
};

struct AtomicRow {
  std::string_view id;
  std::vector<std::string_view> members;  // all displaced by it
  std::string_view semantics_id;
  FeatureSet features;
};

struct RuleRow {
  std::string_view id;
  std::vector<std::string_view> target_ids;
  std::vector<std::string_view> precedence;
  std::string_view mode;
  std::string_view binding_family_id;
};

std::span<const SlotRow> SlotRows();  // sorted by slot
std::span<const AtomicRow> AtomicRows();
std::span<const RuleRow> RuleRows();
std::vector<std::string_view> FeaturesOf(FeatureSet set);  // sorted

}  // namespace cacheon::policy
