// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/paged_cache.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace cacheon::slots {

std::vector<std::int64_t> Sample(Philox& random, std::int64_t count, std::int64_t taken) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  for (std::int64_t i = 0; i < taken; ++i) {
    std::swap(items[static_cast<std::size_t>(i)],
              items[static_cast<std::size_t>(random.NextInt(i, count - 1))]);
  }
  items.resize(static_cast<std::size_t>(taken));
  return items;
}

std::vector<std::int64_t> Permutation(Philox& random, std::int64_t count) {
  return Sample(random, count, count);
}

std::vector<std::int64_t> ShuffledPages(Philox& random, const PageTable& table) {
  std::vector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(table.requests * table.pages * table.page_size));
  for (std::int64_t request = 0; request < table.requests; ++request) {
    const std::int64_t bank = request % table.banks * table.pages;
    for (const std::int64_t page : Permutation(random, table.pages)) {
      for (std::int64_t i = 0; i < table.page_size; ++i) {
        rows.push_back((bank + page) * table.page_size + i);
      }
    }
  }
  return rows;
}

}  // namespace cacheon::slots
