// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One view of what an export may name: the slot's own resources and the declared artifact
// resources.

#include <optional>
#include <string_view>

#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/resource_plan.h"

namespace cacheon::artifact {

struct NamedResource {
  ResourceKind kind = ResourceKind::kTensor;
  Access access = Access::kRead;
  const CallResource* of_slot = nullptr;          // exactly one of the two is set
  const ArtifactResource* of_artifact = nullptr;  // always a readwrite tensor
};

inline std::optional<NamedResource> FindNamedResource(const CallAbi& abi, const ResourcePlan& plan,
                                                      std::string_view name) {
  if (const CallResource* resource = FindResource(abi, name)) {
    return NamedResource{.kind = resource->kind, .access = resource->access, .of_slot = resource};
  }
  if (const ArtifactResource* resource = FindArtifactResource(plan, name)) {
    return NamedResource{
        .kind = ResourceKind::kTensor, .access = Access::kReadWrite, .of_artifact = resource};
  }
  return std::nullopt;
}

}  // namespace cacheon::artifact
