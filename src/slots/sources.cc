// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/sources.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cacheon/core/philox.h"

namespace cacheon::slots {
namespace {

// Bulk draws start at a whole Philox block; a source may be asked for any position. Draws up to
// three elements before `first` and drops them.
template <typename T, typename Fill>
void FillFrom(const Fill& fill, const Philox& generator, std::int64_t first, std::span<T> out) {
  const auto position = static_cast<std::uint64_t>(first);
  const std::uint64_t skipped = position % 4;
  if (skipped != 0) {
    std::array<T, 4> block;
    fill(generator, position - skipped, std::span<T>(block));
    const std::size_t head = std::min<std::size_t>(4 - skipped, out.size());
    std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(skipped), head, out.begin());
    out = out.subspan(head);
  }
  if (!out.empty()) fill(generator, (position + 3) / 4 * 4, out);
}

}  // namespace

FloatSource NormalSource(Draw draw, float scale, float offset) {
  return [generator = Philox(draw.seed, draw.stream), scale, offset](std::int64_t first,
                                                                     std::span<float> out) {
    FillFrom(FillNormal, generator, first, out);
    if (scale == 1 && offset == 0) return;
    for (float& value : out) value = scale * value + offset;
  };
}

FloatSource UniformSource(Draw draw, float low, float width) {
  return [generator = Philox(draw.seed, draw.stream), low, width](std::int64_t first,
                                                                  std::span<float> out) {
    FillFrom(FillUniform, generator, first, out);
    for (float& value : out) value = low + width * value;
  };
}

FloatSource ScaleRows(FloatSource base, std::int64_t width, std::int64_t period) {
  return MapValues(std::move(base), [width, period](std::int64_t position, float value) {
    return std::ldexp(value, static_cast<int>(position / width % period - period / 2));
  });
}

IntSource UniformIntSource(Draw draw, std::int64_t count) {
  return [generator = Philox(draw.seed, draw.stream), count](std::int64_t first,
                                                             std::span<std::int64_t> out) {
    std::vector<std::uint32_t> words(out.size());
    FillFrom(FillBits, generator, first, std::span(words));
    // The high part of word * count: uniform up to count / 2^32.
    std::ranges::transform(words, out.begin(), [count](std::uint32_t word) {
      return static_cast<std::int64_t>((std::uint64_t{word} * static_cast<std::uint64_t>(count)) >>
                                       32U);
    });
  };
}

FloatSource FloatTableSource(std::vector<float> table) {
  return [shared = std::make_shared<const std::vector<float>>(std::move(table))](
             std::int64_t first, std::span<float> out) {
    std::copy_n(shared->begin() + first, out.size(), out.begin());
  };
}

IntSource TableSource(std::vector<std::int64_t> table) {
  return [shared = std::make_shared<const std::vector<std::int64_t>>(std::move(table))](
             std::int64_t first, std::span<std::int64_t> out) {
    std::copy_n(shared->begin() + first, out.size(), out.begin());
  };
}

}  // namespace cacheon::slots
