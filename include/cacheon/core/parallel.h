// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Splits independent work over the machine's cores. Callers make each block's result independent of
// the others, so that no result depends on how many threads there are.

#include <cstdint>
#include <functional>

namespace cacheon {

// The number of threads that ParallelFor uses by default: the cores this process may run on.
int DefaultThreadCount();

// Calls body(begin, end) for consecutive blocks of [0, count) of `block` items (the last may be
// shorter), on up to `threads` threads (0: DefaultThreadCount). Blocks are handed out in order; the
// borders of blocks depend on `block` only, which must be positive. Returns when all are done. With
// fewer threads when the system gives no more. `body` must not throw.
void ParallelFor(std::int64_t count, std::int64_t block,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                 int threads = 0);

}  // namespace cacheon
