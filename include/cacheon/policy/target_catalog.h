// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The target catalogue: what a bundle can compete for. Eleven slots and one atomic target that
// takes two of them together, with the contract, relations, admitted features and digests of each.
// The digests are those of the published catalogue; everything here is data that no input changes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::policy {

enum class TargetKind : std::uint8_t {
  kSlot,    // one slot by itself
  kAtomic,  // several slots that are only taken together
};
std::string_view TargetKindName(TargetKind kind);  // "slot", "atomic"

struct Target {
  std::string_view id;
  TargetKind kind = TargetKind::kSlot;
  std::vector<std::string_view> members = {};           // slots, in catalogue order
  std::vector<std::string_view> displaces = {};         // targets that cannot be active beside it
  std::vector<std::string_view> compatible_with = {};   // targets that compose with it by a rule
  std::vector<std::string_view> required_targets = {};  // targets that must be active beside it
  std::vector<std::string_view> allowed_features = {};  // sorted
  bool contract_has_prepare = false;
  Json snapshot = {};            // the identity document
  std::string spec_digest = {};  // of the snapshot
  std::string contract_digest =
      {};  // of the slot's contract, or of the members' contracts together

  bool Allows(std::string_view feature) const;
};

// How two compatible targets share calls: the first of `precedence` that applies serves.
struct CompositionRule {
  std::string_view id;
  std::vector<std::string_view> target_ids;  // sorted
  std::vector<std::string_view> precedence;
  std::string_view mode;
  std::string_view binding_family_id;
  std::string binding_contract_digest;
};

class TargetCatalog {
 public:
  static constexpr std::string_view kPolicyVersion = "target-catalog.v1";

  // The only catalogue there is.
  static const TargetCatalog& Published();

  std::span<const Target> targets() const { return targets_; }  // sorted by id
  std::span<const CompositionRule> composition_rules() const { return rules_; }

  // nullptr when unknown.
  const Target* Find(std::string_view id) const;
  // The target with exactly these members; `slots` is sorted and unique.
  const Target* FindByMembers(std::span<const std::string> slots) const;

  // Every target that this one displaces or requires, directly or through others; sorted.
  std::vector<std::string_view> DisplacementClosure(const Target& target) const;
  std::vector<std::string_view> RequiresClosure(const Target& target) const;

  // Whether these targets can be active together; returns them sorted. The key path of an error is
  // the index in `ids`. Codes target.active_duplicate, target.unknown, target.active_displaced,
  // target.active_requires.
  Result<std::vector<std::string>> ValidateActive(std::span<const std::string> ids) const;
  // The order in which active targets are tried: by id, except where a composition rule gives a
  // precedence. Codes as for ValidateActive.
  Result<std::vector<std::string>> Order(std::span<const std::string> ids) const;

  // The rule for two different registered targets. Codes target.unknown, target.no_composition.
  Result<const CompositionRule*> FindCompositionRule(std::string_view a, std::string_view b) const;

  const Json& snapshot() const { return snapshot_; }
  const std::string& digest() const { return digest_; }

 private:
  TargetCatalog();

  std::vector<Target> targets_;
  std::vector<CompositionRule> rules_;
  Json snapshot_;
  std::string digest_;
};

// Whether the target cannot be measured in the arena of this model, so that work on it cannot win.
bool IsUnavailableInArena(std::string_view target_id, std::string_view model);

}  // namespace cacheon::policy
