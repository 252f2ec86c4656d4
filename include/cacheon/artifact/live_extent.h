// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of artifact resources for one call.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cacheon/artifact/limits.h"
#include "cacheon/artifact/live_frame.h"
#include "cacheon/artifact/resource_plan.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// A resource of the call with its value; groups are given with their size.
struct LiveResource {
  std::string_view name;
  LiveValue value;
};

struct LiveShape {
  int rank = 0;
  std::array<std::int64_t, kMaxTensorRank> dims{};
  std::int64_t payload_bytes = 0;
  std::int64_t reservation_bytes = 0;  // what the budget is charged: payload + alignment - 1
};

// Zero-sized buffers are legal. Codes rx.unavailable, rx.not_int, rx.axis, rx.bound; the
// place's key path is `shape[i].factors[j]`.
Result<LiveShape> EvaluateShape(const ArtifactResource& resource,
                                std::span<const LiveResource> live);

}  // namespace cacheon::artifact
