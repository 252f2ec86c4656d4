// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/authorities.json: the slot call ABI tables and the provider registry.

#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/resource_plan.h"
#include "cacheon/policy/provider.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

CaseResult Slot(const Json& the_case, std::string /*name*/) {
  const std::string& slot = TextOf(the_case, "slot");
  std::string name = "slots: " + slot;
  const artifact::CallAbi* abi = artifact::FindCallAbi(slot);
  if (abi == nullptr) return Differs(std::move(name), "a call ABI", "none");
  const Json got = Json::Object{
      {"call_abi_identity_canonical", CanonicalJson(artifact::CallAbiSnapshot(*abi)).value_or("")},
      {"call_abi_sha256", artifact::CallAbiDigest(*abi)},
      {"target_authority_sha256", artifact::TargetAuthorityDigest(*abi)},
      {"empty_resource_plan_sha256", artifact::ResourcePlanDigest({slot, {}})}};
  const Json expected = Pick(the_case, {"call_abi_identity_canonical", "call_abi_sha256",
                                        "target_authority_sha256", "empty_resource_plan_sha256"});
  return CompareJson(std::move(name), expected, got);
}

CaseResult Registry(const Json& the_case, std::string name) {
  const Json snapshot = policy::ProviderRegistrySnapshot(policy::PublishedProviders());
  const Json got =
      Json::Object{{"canonical", CanonicalJson(snapshot).value_or("")},
                   {"digest", policy::ProviderRegistryDigest(policy::PublishedProviders())}};
  return CompareJson(std::move(name), Pick(the_case, {"canonical", "digest"}), got);
}

}  // namespace

Cases RunAuthorities(const Json& document) {
  return RunLists(document, {{"slots", Slot}, {"provider_registry", Registry}});
}

}  // namespace cacheon::conformance
