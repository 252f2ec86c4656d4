// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk draws. The loops work on structure-of-arrays tiles so that compilers vectorise them, and use
// polynomials of their own instead of libm and no fused operations, so that a seed gives the same
// bits on every machine.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include "cacheon/core/philox.h"
#include "cacheon/core/result.h"
#include "cacheon/core/vector_clones.h"

namespace cacheon {
namespace {

constexpr std::size_t kTileBlocks = 64;
constexpr std::size_t kTile = kTileBlocks * 4;

struct Tile {
  alignas(64) std::array<std::uint32_t, kTile> words;
};

// words[w * kTileBlocks + i] is word w of the block at counter + i.
CACHEON_VECTOR_CLONES void FillTile(std::uint64_t key, std::uint64_t stream, std::uint64_t counter,
                                    Tile& tile) {
  std::uint32_t* x0 = tile.words.data();
  std::uint32_t* x1 = x0 + kTileBlocks;
  std::uint32_t* x2 = x1 + kTileBlocks;
  std::uint32_t* x3 = x2 + kTileBlocks;
  for (std::size_t i = 0; i < kTileBlocks; ++i) {
    const std::uint64_t position = counter + i;
    auto a = static_cast<std::uint32_t>(position);
    auto b = static_cast<std::uint32_t>(position >> 32U);
    auto c = static_cast<std::uint32_t>(stream);
    auto d = static_cast<std::uint32_t>(stream >> 32U);
    auto key0 = static_cast<std::uint32_t>(key);
    auto key1 = static_cast<std::uint32_t>(key >> 32U);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53} * a;
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c;
      const std::uint32_t next0 = static_cast<std::uint32_t>(product1 >> 32U) ^ b ^ key0;
      const std::uint32_t next2 = static_cast<std::uint32_t>(product0 >> 32U) ^ d ^ key1;
      b = static_cast<std::uint32_t>(product1);
      d = static_cast<std::uint32_t>(product0);
      a = next0;
      c = next2;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    x0[i] = a;
    x1[i] = b;
    x2[i] = c;
    x3[i] = d;
  }
}

constexpr float kTwoToMinus24 = 0x1p-24F;

// In (0, 1]: never zero, so that the logarithm is finite.
inline float OpenUniform(std::uint32_t word) {
  return (static_cast<float>(word >> 8U) + 1.0F) * kTwoToMinus24;
}

// Natural logarithm of x in (0, 1], relative error below 2e-7: exponent split off, then the series
// of 2 atanh(s), s = (m - 1) / (m + 1), for m in [sqrt(1/2), sqrt(2)).
inline float Log(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  constexpr std::int32_t kSqrtHalfBits = 0x3F3504F3;
  const std::int32_t exponent = (bits - kSqrtHalfBits) >> 23;
  const auto m = std::bit_cast<float>(bits - exponent * (1 << 23));
  const float s = (m - 1.0F) / (m + 1.0F);
  const float s2 = s * s;
  const float series =
      ((s2 * (2.0F / 9.0F) + (2.0F / 7.0F)) * s2 + (2.0F / 5.0F)) * s2 + (2.0F / 3.0F);
  return static_cast<float>(exponent) * std::numbers::ln2_v<float> + (s * 2.0F + s * s2 * series);
}

struct SinCos {
  float sine;
  float cosine;
};

// Sine and cosine of 2 pi u for u in [0, 1): reduced to |r| <= 1/8 turn, Taylor polynomials there.
inline SinCos SinCosTurn(float u) {
  const float scaled = u * 4.0F;
  // Rounds as the vector unit does; `scaled` is not negative.
  // NOLINTNEXTLINE(bugprone-incorrect-roundings)
  const auto quadrant = static_cast<std::int32_t>(scaled + 0.5F);
  const float r = (scaled - static_cast<float>(quadrant)) * 1.57079637F;
  const float r2 = r * r;
  const float sine =
      r +
      r * r2 * (((r2 * 2.75573192e-6F - 1.98412698e-4F) * r2 + 8.33333333e-3F) * r2 - 0.166666667F);
  const float cosine =
      1.0F + r2 * (((r2 * 2.48015873e-5F - 1.38888889e-3F) * r2 + 4.16666667e-2F) * r2 - 0.5F);
  const float first = (quadrant & 1) != 0 ? cosine : sine;
  const float second = (quadrant & 1) != 0 ? sine : cosine;
  return {.sine = (quadrant & 2) != 0 ? -first : first,
          .cosine = ((quadrant + 1) & 2) != 0 ? -second : second};
}

// Word pairs (0,1) and (2,3) of a block become its normals (0,1) and (2,3).
CACHEON_VECTOR_CLONES void NormalTile(const Tile& tile, std::array<float, kTile>& out) {
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const std::uint32_t* radius_words = tile.words.data() + pair * 2 * kTileBlocks;
    const std::uint32_t* angle_words = radius_words + kTileBlocks;
    float* first = out.data() + pair * 2 * kTileBlocks;
    float* second = first + kTileBlocks;
    for (std::size_t i = 0; i < kTileBlocks; ++i) {
      const float radius = std::sqrt(-2.0F * Log(OpenUniform(radius_words[i])));
      const SinCos turn = SinCosTurn(static_cast<float>(angle_words[i] >> 8U) * kTwoToMinus24);
      first[i] = radius * turn.cosine;
      second[i] = radius * turn.sine;
    }
  }
}

CACHEON_VECTOR_CLONES void UniformTile(const Tile& tile, std::array<float, kTile>& out) {
  for (std::size_t i = 0; i < kTile; ++i) {
    out[i] = static_cast<float>(tile.words[i] >> 8U) * kTwoToMinus24;
  }
}

CACHEON_VECTOR_CLONES void Interleave(const float* planes, float* out) {
  for (std::size_t i = 0; i < kTileBlocks; ++i) {
    for (std::size_t word = 0; word < 4; ++word) out[i * 4 + word] = planes[word * kTileBlocks + i];
  }
}

// Runs `convert` over tiles and stores them in order of position.
template <typename T, typename Convert>
void FillTiles(const Philox& generator, std::uint64_t first, std::span<T> out, Convert convert) {
  CACHEON_CHECK(first % 4 == 0, "bulk draws start at a whole block");
  Tile tile;
  alignas(64) std::array<T, kTile> planes;
  for (std::size_t done = 0; done < out.size(); done += kTile) {
    FillTile(generator.key(), generator.stream(), (first + done) / 4, tile);
    convert(tile, planes);
    const std::size_t count = std::min(kTile, out.size() - done);
    if constexpr (std::same_as<T, float>) {
      if (count == kTile) {
        Interleave(planes.data(), out.data() + done);
        continue;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[done + i] = planes[i % 4 * kTileBlocks + i / 4];
    }
  }
}

}  // namespace

void FillUniform(const Philox& generator, std::uint64_t first, std::span<float> out) {
  FillTiles(generator, first, out, UniformTile);
}

void FillNormal(const Philox& generator, std::uint64_t first, std::span<float> out) {
  FillTiles(generator, first, out, NormalTile);
}

void FillBits(const Philox& generator, std::uint64_t first, std::span<std::uint32_t> out) {
  FillTiles(generator, first, out,
            [](const Tile& tile, std::array<std::uint32_t, kTile>& words) { words = tile.words; });
}

}  // namespace cacheon
