// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/attention_contract.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "src/slots/sources.h"

namespace cacheon::slots {

AcceptanceRule AttentionAcceptance() {
  return {
      .steps_16_bit = 4,
      .steps_32_bit = 64,
      .group_weight = 1,
      .min_group_share = 0.98,
      .max_slacks = 4,
      .derivation =
          "A weighted mean of values. 16-bit: scores, probabilities and the result rounded once "
          "each move an element by 1.5 epsilon of the sum of its terms' sizes, which the row's "
          "root mean square stands for; 4 are allowed. float32: scores of size s err by s "
          "epsilons, which the exponential makes relative; 64 are allowed."};
}

Status CheckHeadGroups(std::int64_t q_heads, std::int64_t kv_heads) {
  if (kv_heads > 0 && q_heads % kv_heads == 0) return {};
  return Fail("slot.shape",
              fmt::format("{} query heads do not divide into groups over {} heads of keys", q_heads,
                          kv_heads),
              {.key_path = "q"});
}

FloatSource LargeIntegerQueries(FloatSource base) {
  return MapValues(std::move(base), [](std::int64_t, float value) {
    constexpr float kLevels = 8;
    constexpr float kStep = 64;
    return kStep * std::nearbyint(kLevels * value);
  });
}

FloatSource IntegerKeys(FloatSource base) {
  return MapValues(std::move(base),
                   [](std::int64_t, float value) { return std::nearbyint(value); });
}

}  // namespace cacheon::slots
