// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/target_catalog.json: the catalogue's snapshot, digests, closures and active sets.

#include <string>

#include "cacheon/core/sha256.h"
#include "cacheon/policy.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using policy::Target;
using policy::TargetCatalog;

template <typename Texts>
Json TextList(const Texts& texts) {
  return Json::Array(texts.begin(), texts.end());
}

// The document is ours, so a failure would show as a wrong digest.
std::string BareDigest(const Json& document) {
  return Sha256Hex(CanonicalJson(document).value_or(""));
}

void CompareTargets(const Json& document, std::vector<CaseResult>& results) {
  const TargetCatalog& catalog = TargetCatalog::Published();
  const Json& recorded = FieldOf(document, "targets");
  for (const Target& target : catalog.targets()) {
    const Json got =
        Json::Object{{"target_spec_digest", target.spec_digest},
                     {"contract_digest", target.contract_digest},
                     {"displacement_closure", TextList(catalog.DisplacementClosure(target))},
                     {"requires_closure", TextList(catalog.RequiresClosure(target))}};
    results.push_back(
        CompareJson("targets: " + std::string(target.id), FieldOf(recorded, target.id), got));
  }
  const std::size_t count = recorded.is_object() ? recorded.as_object().size() : 0;
  results.push_back(CompareJson("targets: count", static_cast<std::int64_t>(count),
                                static_cast<std::int64_t>(catalog.targets().size())));
}

CaseResult ActiveSet(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::vector<std::string> order,
                     TargetCatalog::Published().Order(TextsOf(the_case, "active")));
    return TextList(order);
  };
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "ordered"), run());
}

}  // namespace

Cases RunTargetCatalog(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  const TargetCatalog& catalog = TargetCatalog::Published();
  std::vector<CaseResult> results = {
      CompareJson("snapshot", FieldOf(document, "snapshot"), catalog.snapshot()),
      CompareJson("canonical_json_sha256_of_snapshot",
                  FieldOf(document, "canonical_json_sha256_of_snapshot"),
                  BareDigest(catalog.snapshot())),
      CompareJson("catalog_digest", FieldOf(document, "catalog_digest"), catalog.digest()),
      CompareJson("artifact_provider_registry_digest",
                  FieldOf(document, "artifact_provider_registry_digest"),
                  policy::ProviderRegistryDigest(policy::PublishedProviders()))};
  CompareTargets(document, results);
  RunList(document, "active_sets", ActiveSet, results);
  return results;
}

}  // namespace cacheon::conformance
