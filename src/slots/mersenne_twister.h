// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937 seeded and drawn from as the published verifier does, which is what fixes its case list
// for a seed. All other randomness of this project is Philox.

#include <array>
#include <cstdint>

namespace cacheon::slots {

class MersenneTwister {
 public:
  // init_by_array over the 32-bit words of `seed`, low word first (Matsumoto and Nishimura).
  explicit MersenneTwister(std::uint64_t seed);

  std::uint32_t Next();

  // Uniform in [low, high]: the top bits of a word, drawn again while they are out of range.
  // Requires low <= high and high - low < 2^31.
  std::int64_t NextInt(std::int64_t low, std::int64_t high);

 private:
  static constexpr int kSize = 624;

  void Refill();

  std::array<std::uint32_t, kSize> state_{};
  int used_ = kSize;
};

}  // namespace cacheon::slots
