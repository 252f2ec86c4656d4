// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/resources.json: resource plans and live extents.

#include "cacheon/artifact/live_extent.h"
#include "cacheon/artifact/resource_plan.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<artifact::ResourcePlan> Parse(const std::string& slot, const Json& resources) {
  const artifact::CallAbi* abi = artifact::FindCallAbi(slot);
  if (abi == nullptr) return Fail("conformance.form", "the slot has no call ABI");
  return artifact::ParseResourcePlan(resources, *abi, artifact::KeyPath("resources"));
}

Result<Json> Canonical(const Json& the_case) {
  ASSIGN_OR_RETURN(const artifact::ResourcePlan plan,
                   Parse(TextOf(the_case, "slot"), FieldOf(the_case, "resources")));
  ASSIGN_OR_RETURN(const std::string canonical, CanonicalJson(artifact::ResourcePlanToJson(plan)));
  Json::Array bytes;
  for (const artifact::ArtifactResource& resource : plan.resources) {
    bytes.emplace_back(std::to_string(resource.maximum_bytes()));
  }
  return Json::Object{{"canonical", canonical},
                      {"sha256", artifact::ResourcePlanDigest(plan)},
                      {"max_bytes", std::move(bytes)}};
}

CaseResult Schema(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), Pick(the_case, {"canonical", "sha256", "max_bytes"}),
                   Canonical(the_case));
}

struct LiveSet {
  std::string slot;
  std::vector<artifact::LiveResource> resources;  // names point into the document
};

Result<LiveSet> ReadLive(const Json& document) {
  const std::vector<std::string> slots = TextsOf(document, "live_slot");
  if (slots.size() != 1) return Fail("conformance.form", "no live slot");
  LiveSet live{slots[0], {}};
  for (const Json& resource : ItemsOf(document, "live_resources")) {
    ASSIGN_OR_RETURN(const artifact::LiveValue value, ReadLiveValue(resource));
    live.resources.push_back({TextOf(resource, "name"), value});
  }
  return live;
}

Result<Json> Evaluate(const Json& the_case, const Json& document) {
  ASSIGN_OR_RETURN(const LiveSet live, ReadLive(document));
  ASSIGN_OR_RETURN(const artifact::ResourcePlan plan,
                   Parse(live.slot, Json::Array{FieldOf(the_case, "resource")}));
  const artifact::ArtifactResource& resource = plan.resources[0];
  ASSIGN_OR_RETURN(const artifact::LiveShape shape,
                   artifact::EvaluateShape(resource, live.resources));
  Json::Array dims;
  Json::Array maxima;
  for (std::size_t i = 0; i < resource.shape.size(); ++i) {
    dims.emplace_back(shape.dims[i]);
    maxima.emplace_back(resource.shape[i].maximum);
  }
  return Json::Object{{"shape", std::move(dims)},
                      {"payload_bytes", shape.payload_bytes},
                      {"reservation_bytes", shape.reservation_bytes},
                      {"max_shape", std::move(maxima)},
                      {"max_bytes", std::to_string(resource.maximum_bytes())}};
}

}  // namespace

Cases RunResources(const Json& document) {
  const auto extents = [&](const Json& the_case, std::string name) {
    return CompareOk(
        the_case, std::move(name),
        Pick(the_case, {"shape", "payload_bytes", "reservation_bytes", "max_shape", "max_bytes"}),
        Evaluate(the_case, document));
  };
  return RunLists(document, {{"schema", Schema}, {"live_extents", extents}});
}

}  // namespace cacheon::conformance
