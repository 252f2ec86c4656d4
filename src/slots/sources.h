// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the values of planned inputs come from. Every source is a pure function of its arguments
// and the position, and may be called from several threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cacheon/slots/case.h"

namespace cacheon::slots {

// A sequence of random numbers of its own: one per input, in the order of the slot's list of draws.
struct Draw {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

// scale * N(0, 1) + offset.
FloatSource NormalSource(Draw draw, float scale = 1, float offset = 0);
// Uniform in [low, low + width).
FloatSource UniformSource(Draw draw, float low, float width);
// Uniform integers in [0, count), with repeats.
IntSource UniformIntSource(Draw draw, std::int64_t count);
// The elements of a table, one after the other. Shared, because sources are copied.
IntSource TableSource(std::vector<std::int64_t> table);
FloatSource FloatTableSource(std::vector<float> table);

// Multiplies row r (of `width` elements) by 2^(r % period - period / 2), so that a row or head that
// is taken for another one shows.
FloatSource ScaleRows(FloatSource base, std::int64_t width, std::int64_t period);

// `map(position, value)` of another source's values.
template <typename Map>
FloatSource MapValues(FloatSource base, Map map) {
  return [base = std::move(base), map = std::move(map)](std::int64_t first, std::span<float> out) {
    base(first, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = map(first + static_cast<std::int64_t>(i), out[i]);
    }
  };
}

}  // namespace cacheon::slots
