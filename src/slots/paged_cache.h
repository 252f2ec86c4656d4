// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integer structure of paged calls: page tables, lengths and choices of blocks. All are small
// tables made when a call is planned, from streams of their own.

#include <cstdint>
#include <vector>

#include "cacheon/core/philox.h"

namespace cacheon::slots {

// A random permutation of [0, count).
std::vector<std::int64_t> Permutation(Philox& random, std::int64_t count);

// `taken` distinct numbers of [0, count), in random order.
std::vector<std::int64_t> Sample(Philox& random, std::int64_t count, std::int64_t taken);

// Logical positions of `requests` requests to physical rows: request r has `pages` pages of
// `page_size` rows in bank r % banks, its pages shuffled, rows inside a page in order. Row-major
// [requests, pages * page_size].
struct PageTable {
  std::int64_t requests, pages, page_size, banks;
};
std::vector<std::int64_t> ShuffledPages(Philox& random, const PageTable& table);

}  // namespace cacheon::slots
