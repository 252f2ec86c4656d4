// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Artifact resources: storage that the validator allocates for an artifact. An extent is
// ceil(product(factors) / divisor) over static numbers and bounded live facts of the slot; that is
// the whole allocation language. Reading checks the maxima, so that evaluation cannot overflow.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

enum class Lifetime : std::uint8_t {
  kCall,      // `workspace.*`: scratch of one call
  kPrepared,  // `prepared.*`: written by prepare steps, read by run steps
  kEngine,    // `state.*`: lives as long as the artifact's entry
};

enum class ResourceScope : std::uint8_t {
  kRankLocal,
  kGroupIpc,  // peers of the group may map it; never for one call only
};

enum class FactorProjection : std::uint8_t { kShape, kNumel, kRank, kValue, kSize };

struct StaticFactor {
  std::int64_t value = 1;
};

struct LiveFactor {
  std::string source;  // a resource of the slot's call ABI
  FactorProjection projection = FactorProjection::kShape;
  std::int64_t upper_bound = 1;
  std::optional<int> axis = {};  // kShape only
};

struct Extent {
  std::vector<std::variant<StaticFactor, LiveFactor>> factors;
  std::int64_t divisor = 1;
  std::int64_t maximum = 1;  // with upper bounds in place of live values
};

struct ArtifactResource {
  std::string name;
  std::string dtype;
  int element_bytes = 1;
  int alignment = 1;
  Lifetime lifetime = Lifetime::kCall;
  ResourceScope scope = ResourceScope::kRankLocal;
  std::vector<Extent> shape;
  std::int64_t maximum_elements = 1;

  std::int64_t maximum_bytes() const { return maximum_elements * element_bytes; }
};

struct ResourcePlan {
  std::string slot;
  std::vector<ArtifactResource> resources;  // sorted by name
};

std::string_view LifetimeName(Lifetime lifetime);
std::string_view ResourceScopeName(ResourceScope scope);
std::string_view FactorProjectionName(FactorProjection projection);

// The declared resource with this name, or nullptr.
const ArtifactResource* FindArtifactResource(const ResourcePlan& plan, std::string_view name);

// Reads the `artifact_resources` list of an op of the slot `abi`. Codes `rs.*`, bd.align,
// bd.source_name.
Result<ResourcePlan> ParseResourcePlan(const Json& rows, const CallAbi& abi, const KeyPath& path);

// {"resources":[...],"slot"} in canonical form.
Json ResourcePlanToJson(const ResourcePlan& plan);

// Bare SHA-256 of {"plan","schema":"cacheon.artifact-resource-plan.v1"}. The empty plan has one.
std::string ResourcePlanDigest(const ResourcePlan& plan);

}  // namespace cacheon::artifact
