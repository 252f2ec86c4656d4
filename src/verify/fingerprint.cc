// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// NH and a polynomial on top of it, as in UMAC and VMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway:
// "UMAC: Fast and Secure Message Authentication", CRYPTO 1999). NH shrinks chunks of 1 KiB: two
// that differ have the same sum with a chance of at most 2^-64. The sums are the coefficients of a
// polynomial over the field of 2^61 - 1 elements, evaluated at a secret point: two that differ
// agree with a chance of at most degree / 2^61. A mixing function without such a bound is not
// enough here: differences that cancel whatever the key is can be computed for many of them.

#include "src/verify/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cacheon/core/parallel.h"
#include "cacheon/core/philox.h"

namespace cacheon::verify {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::size_t kChunkWords = 128;
constexpr std::size_t kChunkBytes = kChunkWords * sizeof(std::uint64_t);
constexpr unsigned kFieldBits = 61;
constexpr std::uint64_t kPrime = (std::uint64_t{1} << kFieldBits) - 1;

std::uint64_t Reduce(Wide value) {
  const Wide folded = (value & kPrime) + (value >> kFieldBits);
  const auto once = static_cast<std::uint64_t>((folded & kPrime) + (folded >> kFieldBits));
  return once >= kPrime ? once - kPrime : once;
}

// Horner's rule, highest coefficient first.
class Polynomial {
 public:
  explicit Polynomial(std::uint64_t point) : point_(Reduce(point)) {}
  void Add(std::uint64_t coefficient) {
    value_ = Reduce(static_cast<Wide>(value_) * point_ + coefficient);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t point_;
  std::uint64_t value_ = 1;  // so that leading zeros count
};

struct Key {
  std::array<std::uint64_t, kChunkWords> chunk;
  std::uint64_t block_point;
  std::uint64_t total_point;
};

Key KeyFrom(std::uint64_t seed) {
  // Philox streams of tensors count up from 1; this one is apart from them.
  constexpr std::uint64_t kStream = ~std::uint64_t{0};
  Philox words(seed, kStream);
  Key key;
  for (std::uint64_t& word : key.chunk) word = words.NextU64();
  key.block_point = words.NextU64();
  key.total_point = words.NextU64();
  return key;
}

// The sum of (a + k)(b + l) mod 2^128 over pairs of words, the sums in brackets mod 2^64.
Wide ChunkSum(const std::byte* chunk, const std::array<std::uint64_t, kChunkWords>& key) {
  Wide sum = 0;
  for (std::size_t i = 0; i < kChunkWords; i += 2) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), chunk + i * sizeof(std::uint64_t), sizeof words);
    sum += static_cast<Wide>(words[0] + key[i]) * (words[1] + key[i + 1]);
  }
  return sum;
}

std::uint64_t BlockFingerprint(std::span<const std::byte> bytes, const Key& key) {
  constexpr std::uint64_t kLowBits = (std::uint64_t{1} << 60U) - 1;
  Polynomial polynomial(key.block_point);
  const auto add = [&](const std::byte* chunk) {
    const Wide sum = ChunkSum(chunk, key.chunk);
    polynomial.Add(static_cast<std::uint64_t>(sum & kLowBits));
    polynomial.Add(static_cast<std::uint64_t>(sum >> 60U & kLowBits));
    polynomial.Add(static_cast<std::uint64_t>(sum >> 120U));
  };
  std::size_t position = 0;
  for (; position + kChunkBytes <= bytes.size(); position += kChunkBytes) {
    add(bytes.data() + position);
  }
  if (position < bytes.size()) {
    std::array<std::byte, kChunkBytes> rest{};  // the total's length tells zeros from nothing
    std::memcpy(rest.data(), bytes.data() + position, bytes.size() - position);
    add(rest.data());
  }
  return polynomial.value();
}

}  // namespace

std::uint64_t Fingerprint(std::span<const std::byte> bytes, std::uint64_t key, int threads) {
  const Key keys = KeyFrom(key);
  std::vector<std::uint64_t> parts((bytes.size() + kBlockBytes - 1) / kBlockBytes);
  ParallelFor(
      static_cast<std::int64_t>(parts.size()), 1,
      [&](std::int64_t first, std::int64_t) {
        const std::size_t start = static_cast<std::size_t>(first) * kBlockBytes;
        const std::size_t count = std::min(kBlockBytes, bytes.size() - start);
        parts[static_cast<std::size_t>(first)] =
            BlockFingerprint(bytes.subspan(start, count), keys);
      },
      threads);
  Polynomial polynomial(keys.total_point);
  polynomial.Add(bytes.size());
  for (const std::uint64_t part : parts) polynomial.Add(part);
  return polynomial.value();
}

}  // namespace cacheon::verify
