// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/moe_routing.h"

#include <algorithm>

#include "cacheon/core/philox.h"
#include "src/slots/paged_cache.h"

namespace cacheon::slots {
namespace {

constexpr std::uint64_t kSharedExpertStep = 17171;  // between the two streams of a profiled call

std::int64_t BentId(const std::string& profile, const MoeSizes& sizes, std::int64_t row,
                    std::int64_t column, std::int64_t drawn) {
  if (profile == "one_expert") return sizes.experts - 1;
  if (profile == "few_experts") return drawn % 2 * (sizes.experts - 1);
  if (profile == "duplicates" && column < 2) return row % sizes.experts;
  return drawn;
}

}  // namespace

Result<MoeSizes> ReadMoeSizes(ParameterReader& parameters) {
  MoeSizes sizes{};
  ASSIGN_OR_RETURN(sizes.tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(sizes.experts, parameters.Int("num_experts", 1));
  ASSIGN_OR_RETURN(sizes.hidden, parameters.Int("hidden", 1));
  ASSIGN_OR_RETURN(sizes.intermediate, parameters.Int("inter", 1));
  ASSIGN_OR_RETURN(sizes.top_k, parameters.Int("top_k", 1));
  constexpr std::int64_t kMaxPairs = std::int64_t{1} << 24;
  if (sizes.tokens > kMaxPairs ||
      sizes.top_k > kMaxPairs / std::max<std::int64_t>(sizes.tokens, 1)) {
    return FailParameter("num_tokens", "the routing would be too large");
  }
  if (sizes.experts > kMaxPairs || sizes.hidden > kMaxPairs || sizes.intermediate > kMaxPairs) {
    return FailParameter("hidden", "the weights would be too large");
  }
  return sizes;
}

Routing GenericRouting(const MoeSizes& sizes, const std::string& profile, std::uint64_t seed) {
  Philox random(seed, 100);
  Routing routing;
  for (std::int64_t row = 0; row < sizes.tokens; ++row) {
    for (std::int64_t column = 0; column < sizes.top_k; ++column) {
      const std::int64_t drawn = random.NextInt(0, sizes.experts - 1);
      routing.ids.push_back(BentId(profile, sizes, row, column, drawn));
      routing.weights.push_back(0.25F + 0.5F * static_cast<float>(random.NextUniform()));
    }
  }
  return routing;
}

Routing SharedExpertRouting(const MoeSizes& sizes, std::uint64_t seed) {
  Philox random(seed + kSharedExpertStep, 100);
  constexpr double kRoutedSum = 2;
  Routing routing;
  for (std::int64_t row = 0; row < sizes.tokens; ++row) {
    double sum = 0;
    std::vector<double> shares;
    for (std::int64_t k = 0; k + 1 < sizes.top_k; ++k) {
      shares.push_back(random.NextUniform());
      sum += shares.back();
    }
    const std::vector<std::int64_t> chosen = Sample(random, sizes.experts - 1, sizes.top_k - 1);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      routing.ids.push_back(chosen[k]);
      routing.weights.push_back(static_cast<float>(kRoutedSum * shares[k] / sum));
    }
    routing.ids.push_back(sizes.experts - 1);
    routing.weights.push_back(1.0F);
  }
  return routing;
}

}  // namespace cacheon::slots
