// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/philox.h"

#include <sys/random.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <limits>

#include "cacheon/core/result.h"

namespace cacheon {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

Philox::Block Philox::At(std::uint64_t counter) const {
  Block x = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
             static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32U)};
  auto key0 = static_cast<std::uint32_t>(key_);
  auto key1 = static_cast<std::uint32_t>(key_ >> 32U);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * x[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * x[2];
    x = {static_cast<std::uint32_t>(product1 >> 32U) ^ x[1] ^ key0,
         static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32U) ^ x[3] ^ key1,
         static_cast<std::uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return x;
}

std::uint32_t Philox::NextU32() {
  if (used_ == buffer_.size()) {
    buffer_ = At(counter_++);
    used_ = 0;
  }
  return buffer_[used_++];
}

std::uint64_t Philox::NextU64() {
  const std::uint64_t high = NextU32();
  return high << 32U | NextU32();
}

double Philox::NextUniform() {
  constexpr double kScale = 0x1p-53;
  return static_cast<double>(NextU64() >> 11U) * kScale;
}

std::int64_t Philox::NextInt(std::int64_t low, std::int64_t high) {
  CACHEON_CHECK(low <= high, "an empty range has no numbers");
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span == std::numeric_limits<std::uint64_t>::max()) {
    return static_cast<std::int64_t>(NextU64());
  }
  // Rejection below a power-of-two mask: no bias, on average under two draws.
  std::uint64_t mask = span;
  for (unsigned shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  std::uint64_t value = NextU64() & mask;
  while (value > span) value = NextU64() & mask;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + value);
}

std::uint64_t SystemEntropy() {
  std::uint64_t value = 0;
  ssize_t count = 0;
  do {
    count = getrandom(&value, sizeof value, 0);
  } while (count < 0 && errno == EINTR);
  CACHEON_CHECK(count == sizeof value, "the kernel gives no random bytes");
  return value;
}

}  // namespace cacheon
