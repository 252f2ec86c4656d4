// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon {

int DefaultThreadCount() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void ParallelFor(std::int64_t count, std::int64_t block,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                 int threads) {
  CACHEON_CHECK(block > 0, "a block without items");
  if (count <= 0) return;
  const std::int64_t blocks = (count - 1) / block + 1;
  if (threads <= 0) threads = DefaultThreadCount();
  threads = static_cast<int>(std::min<std::int64_t>(threads, blocks));
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t i = next.fetch_add(1); i < blocks; i = next.fetch_add(1)) {
      body(i * block, std::min(count, (i + 1) * block));
    }
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // no more to be had; those that there are, at least this one, do the work
    }
  }
  work();
}

}  // namespace cacheon
