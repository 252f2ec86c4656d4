// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes of a routed call and the choice of experts for its tokens.

#include <cstdint>
#include <string>
#include <vector>

#include "cacheon/core/result.h"
#include "src/slots/parameters.h"

namespace cacheon::slots {

struct MoeSizes {
  std::int64_t tokens, experts, hidden, intermediate, top_k;
};

// Code: slot.parameter.
Result<MoeSizes> ReadMoeSizes(ParameterReader& parameters);

struct Routing {
  std::vector<std::int64_t> ids;  // [M, K]
  std::vector<float> weights;     // [M, K]
};

// Uniform ids with repeats and weights from 0.25 to 0.75; the profiles "one_expert", "few_experts"
// and "duplicates" bend the ids.
Routing GenericRouting(const MoeSizes& sizes, const std::string& profile, std::uint64_t seed);

// K - 1 distinct routed experts, whose weights sum to 2, and the shared last expert with weight 1.
Routing SharedExpertRouting(const MoeSizes& sizes, std::uint64_t seed);

}  // namespace cacheon::slots
