// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "cacheon/core/philox.h"

namespace cacheon::verify {
namespace {

constexpr std::uint64_t kKey = 0x0123456789ABCDEF;
constexpr std::size_t kBlock = std::size_t{1} << 20U;

std::vector<std::byte> Random(std::size_t size) {
  std::vector<std::uint32_t> words((size + 15) / 16 * 4);
  FillBits(Philox(7), 0, words);
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), words.data(), size);
  return bytes;
}

std::vector<std::size_t> SizesAroundEdges() {
  return {1,
          7,
          8,
          9,
          63,
          64,
          65,
          1023,
          1024,
          1025,
          4096,
          kBlock - 1,
          kBlock,
          kBlock + 1,
          kBlock + 7,
          2 * kBlock,
          2 * kBlock + 1023};
}

TEST(Fingerprint, ShowsOneChangedBitAnywhere) {
  for (const std::size_t size : SizesAroundEdges()) {
    std::vector<std::byte> bytes = Random(size);
    const std::uint64_t before = Fingerprint(bytes, kKey);
    std::set<std::size_t> places = {0, size / 3, size / 2, size - 1};
    if (size > kBlock) places.insert({kBlock - 1, kBlock});
    for (const std::size_t place : places) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes[place] ^= std::byte(1U << static_cast<unsigned>(bit));
        EXPECT_NE(Fingerprint(bytes, kKey), before) << size << " " << place << " " << bit;
        bytes[place] ^= std::byte(1U << static_cast<unsigned>(bit));
      }
    }
    EXPECT_EQ(Fingerprint(bytes, kKey), before) << size;
  }
}

TEST(Fingerprint, DoesNotDependOnThreads) {
  for (const std::size_t size : SizesAroundEdges()) {
    const std::vector<std::byte> bytes = Random(size);
    const std::uint64_t alone = Fingerprint(bytes, kKey, 1);
    EXPECT_EQ(Fingerprint(bytes, kKey, 2), alone) << size;
    EXPECT_EQ(Fingerprint(bytes, kKey, 7), alone) << size;
  }
}

TEST(Fingerprint, TellsLengthsOfZerosApart) {
  const std::vector<std::byte> zeros(2 * kBlock + 1);
  std::set<std::uint64_t> seen;
  std::vector<std::size_t> sizes = SizesAroundEdges();
  sizes.push_back(0);
  std::erase_if(sizes, [&](std::size_t size) { return size > zeros.size(); });
  for (const std::size_t size : sizes) seen.insert(Fingerprint(std::span(zeros).first(size), kKey));
  EXPECT_EQ(seen.size(), sizes.size());
}

TEST(Fingerprint, DependsOnTheKey) {
  const std::vector<std::byte> bytes = Random(4096);
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 100; ++key) seen.insert(Fingerprint(bytes, key));
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Fingerprint, ShowsExchangedWordsChunksAndBlocks) {
  const std::vector<std::byte> bytes = Random(3 * kBlock);
  for (const std::size_t distance : {std::size_t{8}, std::size_t{16}, std::size_t{64},
                                     std::size_t{1024}, std::size_t{4096}, kBlock}) {
    std::vector<std::byte> other = bytes;
    for (std::size_t i = 0; i < 8; ++i) std::swap(other[i], other[i + distance]);
    EXPECT_NE(Fingerprint(other, kKey), Fingerprint(bytes, kKey)) << distance;
  }
}

// Two flipped bits at a fixed distance cancel in many mixing functions for every key: the first
// moves to the top of a multiplication, where no carry leaves it, and the second takes it back.
TEST(Fingerprint, HasNoPairOfBitsThatCancelsForEveryKey) {
  std::vector<std::byte> bytes = Random(1024);
  std::set<std::pair<unsigned, unsigned>> cancelling;
  const std::uint64_t before = Fingerprint(bytes, kKey);
  const auto flip = [&](std::size_t word, unsigned bit) {
    bytes[word * 8 + bit / 8] ^= std::byte(1U << bit % 8);
  };
  for (const std::size_t distance : {1U, 2U, 4U, 8U, 16U}) {
    for (unsigned first = 0; first < 64; ++first) {
      flip(0, first);
      for (unsigned second = 0; second < 64; ++second) {
        flip(distance, second);
        if (Fingerprint(bytes, kKey) == before) cancelling.emplace(first, second);
        flip(distance, second);
      }
      flip(0, first);
    }
  }
  EXPECT_TRUE(cancelling.empty());
}

}  // namespace
}  // namespace cacheon::verify
