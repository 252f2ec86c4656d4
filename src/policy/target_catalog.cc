// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds the catalogue and its identity documents from the rows of target_table.h.

#include "cacheon/policy/target_catalog.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "cacheon/policy/provider.h"
#include "src/policy/json_list.h"
#include "src/policy/target_table.h"

namespace cacheon::policy {
namespace {

constexpr int kSchemaVersion = 1;

// The tolerances of every contract.
Json Tolerances() {
  const auto row = [](const char* dtype, const char* tolerance) {
    return Json::Object{{"dtype", dtype}, {"atol", tolerance}, {"rtol", tolerance}};
  };
  return Json::Array{row("bfloat16", "0.02"), row("float16", "0.01"), row("float32", "0.00001")};
}

Json OptionalText(std::optional<std::string_view> text) { return text ? Json(*text) : Json(); }

Json CorrectnessSnapshot(const CorrectnessRow& row) {
  return Json::Object{{"mode", row.mode},
                      {"top_k", row.top_k},
                      {"min_ratio", row.min_ratio},
                      {"min_cosine", row.min_cosine},
                      {"max_rel_norm_err", row.max_rel_norm_err},
                      {"min_overlap", row.min_overlap}};
}

Json ContractSnapshot(const SlotRow& row) {
  return Json::Object{{"schema_version", kSchemaVersion},
                      {"slot_id", row.slot},
                      {"kind", row.kind},
                      {"entry", row.entry},
                      {"prepare", OptionalText(row.prepare)},
                      {"graph_dynamic_inputs", JsonList(row.graph_dynamic_inputs)},
                      {"input_abi_id", row.input_abi_id},
                      {"output_abi_id", row.output_abi_id},
                      {"reference_id", row.reference_id},
                      {"verification_profile_id", row.verification_profile_id},
                      {"binding_family_id", row.binding_family_id},
                      {"correctness", CorrectnessSnapshot(row.correctness)},
                      {"tolerances", Tolerances()},
                      {"kl_threshold", OptionalText(row.kl_threshold)}};
}

// Completes the identity document with what slots and atomic targets share.
void Seal(Target& target, Json::Object document) {
  document.emplace("target_id", target.id);
  document.emplace("kind", TargetKindName(target.kind));
  document.emplace("members", JsonList(target.members));
  document.emplace("displaces", JsonList(target.displaces));
  document.emplace("compatible_with", JsonList(target.compatible_with));
  document.emplace("requires", JsonList(target.required_targets));
  document.emplace("allowed_features", JsonList(target.allowed_features));
  document.emplace("contract_digest", target.contract_digest);
  target.snapshot = std::move(document);
  target.spec_digest = IdentityDigest("cacheon.target-spec", target.snapshot);
}

Target SlotTarget(const SlotRow& row) {
  Json contract = ContractSnapshot(row);
  Target target{.id = row.slot,
                .kind = TargetKind::kSlot,
                .members = {row.slot},
                .compatible_with = row.compatible_with,
                .allowed_features = FeaturesOf(row.features),
                .contract_has_prepare = row.prepare.has_value(),
                .contract_digest = IdentityDigest("cacheon.target-contract", contract)};
  Seal(target, {{"contract_ref", std::move(contract)}});
  return target;
}

Target AtomicTarget(const AtomicRow& row, const std::map<std::string_view, std::string>& digests) {
  Json::Array member_digests;
  for (const std::string_view member : row.members) member_digests.push_back(digests.at(member));
  const Json contract = Json::Object{{"schema_version", kSchemaVersion},
                                     {"target_id", row.id},
                                     {"atomic_semantics_id", row.semantics_id},
                                     {"member_contract_digests", member_digests}};
  Target target{.id = row.id,
                .kind = TargetKind::kAtomic,
                .members = row.members,
                .displaces = row.members,
                .allowed_features = FeaturesOf(row.features),
                .contract_digest = IdentityDigest("cacheon.atomic-target-contract", contract)};
  std::ranges::sort(target.displaces);
  Seal(target, {{"atomic_semantics_id", row.semantics_id},
                {"member_contract_digests", std::move(member_digests)}});
  return target;
}

CompositionRule Rule(const RuleRow& row) {
  const Json binding = Json::Object{{"schema_version", kSchemaVersion},
                                    {"binding_family_id", row.binding_family_id},
                                    {"precedence", JsonList(row.precedence)},
                                    {"mode", row.mode}};
  return {.id = row.id,
          .target_ids = row.target_ids,
          .precedence = row.precedence,
          .mode = row.mode,
          .binding_family_id = row.binding_family_id,
          .binding_contract_digest = IdentityDigest("cacheon.binding-contract", binding)};
}

Json RuleSnapshot(const CompositionRule& rule) {
  return Json::Object{{"schema_version", kSchemaVersion},
                      {"rule_id", rule.id},
                      {"target_ids", JsonList(rule.target_ids)},
                      {"precedence", JsonList(rule.precedence)},
                      {"mode", rule.mode},
                      {"binding_family_id", rule.binding_family_id},
                      {"binding_contract_digest", rule.binding_contract_digest}};
}

}  // namespace

std::string_view TargetKindName(TargetKind kind) {
  return kind == TargetKind::kSlot ? "slot" : "atomic";
}

bool Target::Allows(std::string_view feature) const {
  return std::ranges::binary_search(allowed_features, feature);
}

const TargetCatalog& TargetCatalog::Published() {
  static const TargetCatalog catalog;
  return catalog;
}

TargetCatalog::TargetCatalog() {
  std::map<std::string_view, std::string> contract_digests;
  for (const SlotRow& row : SlotRows()) {
    targets_.push_back(SlotTarget(row));
    contract_digests.emplace(row.slot, targets_.back().contract_digest);
  }
  for (const AtomicRow& row : AtomicRows()) {
    targets_.push_back(AtomicTarget(row, contract_digests));
  }
  std::ranges::sort(targets_, {}, &Target::id);
  std::ranges::transform(RuleRows(), std::back_inserter(rules_), Rule);

  Json::Array targets;
  for (const Target& target : targets_) targets.push_back(target.snapshot);
  Json::Array rules;
  std::ranges::transform(rules_, std::back_inserter(rules), RuleSnapshot);
  const std::span<const Provider> providers = PublishedProviders();
  snapshot_ = Json::Object{{"schema_version", kSchemaVersion},
                           {"policy_version", kPolicyVersion},
                           {"artifact_provider_registry", ProviderRegistrySnapshot(providers)},
                           {"artifact_provider_registry_digest", ProviderRegistryDigest(providers)},
                           {"targets", std::move(targets)},
                           {"composition_rules", std::move(rules)}};
  digest_ = IdentityDigest("cacheon.target-catalog", snapshot_);
}

const Target* TargetCatalog::Find(std::string_view id) const {
  const auto found = std::ranges::lower_bound(targets_, id, {}, &Target::id);
  return found == targets_.end() || found->id != id ? nullptr : &*found;
}

const Target* TargetCatalog::FindByMembers(std::span<const std::string> slots) const {
  for (const Target& target : targets_) {
    std::vector<std::string_view> members = target.members;
    std::ranges::sort(members);
    if (std::ranges::equal(members, slots)) return &target;
  }
  return nullptr;
}

bool IsUnavailableInArena(std::string_view target_id, std::string_view model) {
  const bool minimax = model == "MiniMax-M3" || model == "MiniMax-M3-NVFP4";
  return minimax && (target_id == "norm.rmsnorm" || target_id == "attention.msa_block_score");
}

}  // namespace cacheon::policy
