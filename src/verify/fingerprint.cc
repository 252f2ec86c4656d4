// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cacheon/core/parallel.h"

namespace cacheon::verify {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::size_t kLanes = 8;

std::uint64_t Mix(std::uint64_t value) {
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  value ^= value >> 30U;
  value *= 0xBF58476D1CE4E5B9;
  value ^= value >> 27U;
  value *= 0x94D049BB133111EB;
  return value ^ value >> 31U;
}

// Eight independent lanes of multiply-and-fold by 32-bit halves; every step is invertible in the
// word that is read as long as the others stay, so that a single change always shows.
std::uint64_t BlockFingerprint(std::span<const std::byte> bytes, std::uint64_t key) {
  std::array<std::uint64_t, kLanes> state;
  for (std::size_t lane = 0; lane < kLanes; ++lane) state[lane] = Mix(key + lane + 1);
  std::array<std::uint64_t, kLanes> words;
  std::size_t position = 0;
  const auto absorb = [&] {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t mixed = state[lane] ^ words[lane];
      state[lane] = (mixed << 29U | mixed >> 35U) * 0x9E3779B97F4A7C15;
    }
  };
  for (; position + sizeof words <= bytes.size(); position += sizeof words) {
    std::memcpy(words.data(), bytes.data() + position, sizeof words);
    absorb();
  }
  words.fill(0);
  if (position < bytes.size())
    std::memcpy(words.data(), bytes.data() + position, bytes.size() - position);
  absorb();
  std::uint64_t result = Mix(key ^ bytes.size());
  for (const std::uint64_t lane : state) result = Mix(result ^ lane);
  return result;
}

}  // namespace

std::uint64_t Fingerprint(std::span<const std::byte> bytes, std::uint64_t key) {
  const std::size_t blocks = (bytes.size() + kBlockBytes - 1) / kBlockBytes;
  std::vector<std::uint64_t> parts(blocks);
  ParallelFor(static_cast<std::int64_t>(blocks), 1, [&](std::int64_t begin, std::int64_t) {
    const std::size_t start = static_cast<std::size_t>(begin) * kBlockBytes;
    const std::size_t count = std::min(kBlockBytes, bytes.size() - start);
    parts[static_cast<std::size_t>(begin)] = BlockFingerprint(
        bytes.subspan(start, count), key + static_cast<std::uint64_t>(begin) * kLanes);
  });
  std::uint64_t result = Mix(key ^ blocks);
  for (const std::uint64_t part : parts) result = Mix(result * 3 ^ part);
  return result;
}

}  // namespace cacheon::verify
