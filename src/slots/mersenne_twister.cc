// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/mersenne_twister.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace cacheon::slots {
namespace {

constexpr int kShift = 397;

std::uint32_t Mixed(std::uint32_t previous) { return previous ^ (previous >> 30U); }

}  // namespace

MersenneTwister::MersenneTwister(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                            static_cast<std::uint32_t>(seed >> 32U)};
  const std::uint32_t key_length = key[1] == 0 ? 1 : 2;
  state_[0] = 19650218;
  for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253U * Mixed(state_[i - 1]) + i;

  std::uint32_t i = 1;
  const auto advance = [&] {
    if (++i < kSize) return;
    state_[0] = state_[kSize - 1];
    i = 1;
  };
  for (std::uint32_t k = 0; k < kSize; ++k, advance()) {
    const std::uint32_t j = k % key_length;
    state_[i] = (state_[i] ^ (Mixed(state_[i - 1]) * 1664525U)) + key[j] + j;
  }
  for (int k = 1; k < kSize; ++k, advance()) {
    state_[i] = (state_[i] ^ (Mixed(state_[i - 1]) * 1566083941U)) - i;
  }
  state_[0] = 0x80000000U;
}

void MersenneTwister::Refill() {
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7FFFFFFFU);
    state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1U) ^ ((y & 1U) != 0 ? 0x9908B0DFU : 0);
  }
  used_ = 0;
}

std::uint32_t MersenneTwister::Next() {
  if (used_ == kSize) Refill();
  std::uint32_t y = state_[static_cast<std::size_t>(used_++)];
  y ^= y >> 11U;
  y ^= (y << 7U) & 0x9D2C5680U;
  y ^= (y << 15U) & 0xEFC60000U;
  return y ^ (y >> 18U);
}

std::int64_t MersenneTwister::NextInt(std::int64_t low, std::int64_t high) {
  const auto range = static_cast<std::uint32_t>(high - low + 1);
  const int shift = std::countl_zero(range);
  std::uint32_t draw = Next() >> shift;
  while (draw >= range) draw = Next() >> shift;
  return low + draw;
}

}  // namespace cacheon::slots
