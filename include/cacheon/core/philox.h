// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011), a counter-based generator: the value at a position depends on key, stream and position
// alone, so filling is parallel and any element can be drawn again by itself.

#include <array>
#include <cstdint>
#include <span>

namespace cacheon {

// One independent sequence of random words. Copyable; not thread-safe only in Next*().
class Philox {
 public:
  using Block = std::array<std::uint32_t, 4>;

  explicit Philox(std::uint64_t key, std::uint64_t stream = 0) : key_(key), stream_(stream) {}

  // The four words at `counter`; does not change the generator.
  Block At(std::uint64_t counter) const;

  // Sequential draws, from counter 0 on.
  std::uint32_t NextU32();
  std::uint64_t NextU64();
  double NextUniform();  // [0, 1), 53 bits
  // Uniform in [low, high], without bias. Requires low <= high.
  std::int64_t NextInt(std::int64_t low, std::int64_t high);

  std::uint64_t key() const { return key_; }
  std::uint64_t stream() const { return stream_; }

 private:
  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  Block buffer_{};
  unsigned used_ = 4;
};

// out[i] depends on (key, stream, first + i) only. `first` must be a multiple of 4. Uniform floats
// in [0, 1) with 24 bits; standard normal floats by Box-Muller (finite, |x| < 6).
void FillUniform(const Philox& generator, std::uint64_t first, std::span<float> out);
void FillNormal(const Philox& generator, std::uint64_t first, std::span<float> out);
void FillBits(const Philox& generator, std::uint64_t first, std::span<std::uint32_t> out);

// 64 bits of the system's entropy. Ends the process with status 4 when the kernel gives none.
std::uint64_t SystemEntropy();

}  // namespace cacheon
