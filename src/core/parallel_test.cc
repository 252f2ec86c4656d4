// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

namespace cacheon {
namespace {

#ifdef CACHEON_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

using Blocks = std::vector<std::pair<std::int64_t, std::int64_t>>;

Blocks BlocksOf(std::int64_t count, std::int64_t block, int threads) {
  std::mutex mutex;
  Blocks blocks;
  ParallelFor(
      count, block,
      [&](std::int64_t begin, std::int64_t end) {
        const std::scoped_lock lock(mutex);
        blocks.emplace_back(begin, end);
      },
      threads);
  std::ranges::sort(blocks);
  return blocks;
}

TEST(ParallelFor, CoversEachItemOnceInBlocksThatIgnoreTheThreads) {
  const Blocks expected = {{0, 3}, {3, 6}, {6, 7}};
  for (const int threads : {0, 1, 2, 16}) EXPECT_EQ(BlocksOf(7, 3, threads), expected) << threads;
}

TEST(ParallelFor, TakesBlocksLargerThanTheWork) {
  EXPECT_EQ(BlocksOf(2, 100, 4), (Blocks{{0, 2}}));
}

TEST(ParallelFor, DoesNothingForNothing) {
  EXPECT_TRUE(BlocksOf(0, 3, 2).empty());
  EXPECT_TRUE(BlocksOf(-1, 3, 2).empty());
}

TEST(ParallelFor, RefusesBlocksWithoutItems) {
  EXPECT_EXIT(BlocksOf(1, 0, 1), ::testing::ExitedWithCode(4), "internal.check");
}

// Takes all address space from this process, so that no thread can start, and ends it: with 0 when
// the work was done all the same.
[[noreturn]] void WorkWithoutThreads() {
  const rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &none);
  int done = 0;
  ParallelFor(5, 1, [&](std::int64_t, std::int64_t) { ++done; }, 3);
  std::_Exit(done == 5 ? 0 : 1);
}

TEST(ParallelFor, GoesOnWhenTheSystemGivesNoThreads) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space that this test takes away";
  EXPECT_EXIT(WorkWithoutThreads(), ::testing::ExitedWithCode(0), "");
}

TEST(DefaultThreadCount, IsTheNumberOfAllowedCores) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(DefaultThreadCount(), CPU_COUNT(&set));
}

}  // namespace
}  // namespace cacheon
