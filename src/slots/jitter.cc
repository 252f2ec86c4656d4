// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The published jitter: counts vary with the seed, so that no kernel can be built for the listed
// ones; feature dimensions stay.

#include <algorithm>
#include <array>
#include <string_view>

#include "cacheon/slots/slot.h"
#include "src/slots/mersenne_twister.h"

namespace cacheon::slots {
namespace {

constexpr std::array<std::string_view, 5> kCounts = {"num_tokens", "batch", "ctx", "q_len",
                                                     "prefix_blocks"};

bool IsCausalProbe(const Case& the_case) {
  const auto found = the_case.parameters.find("causal_probe");
  return found != the_case.parameters.end() && found->second.is_bool() && found->second.as_bool();
}

void JitterCount(Json& count, std::int64_t floor, MersenneTwister& stream) {
  const std::int64_t value = count.as_int64();
  const std::int64_t step = stream.NextInt(-1, 3);
  const std::int64_t growth = value / 3 * stream.NextInt(0, 1);
  count = std::max(floor, value + step + growth);
}

}  // namespace

std::vector<Case> JitterCounts(std::vector<Case> cases, std::uint64_t seed) {
  MersenneTwister stream(seed);
  for (Case& the_case : cases) {
    for (const std::string_view name : kCounts) {
      const auto found = the_case.parameters.find(name);
      if (found == the_case.parameters.end() || !found->second.is_int64()) continue;
      // The probe plants its spike at a place that q_len decides.
      if (name == "q_len" && IsCausalProbe(the_case)) continue;
      JitterCount(found->second, name == "batch" ? 2 : 1, stream);
    }
  }
  return cases;
}

}  // namespace cacheon::slots
