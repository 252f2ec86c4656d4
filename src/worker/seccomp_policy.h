// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which system calls a worker may make: a list of what CPython and torch need for import and for
// computing on a CPU. Everything else fails with EPERM, and what only an attack would call ends the
// process at once.

#include <linux/filter.h>

#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::worker {

// The filter that a worker starts under; execve is still allowed. `own_pid_namespace` allows
// signals between threads, which without that namespace would reach other processes of the user.
// Compiled once per process. Code: worker.start.
Result<std::vector<sock_filter>> StartFilter(bool own_pid_namespace);

// The filter that the shim adds before anything of the candidate is loaded: no execve, no further
// filters. As the raw bytes of sock_filter records. Code: worker.start.
Result<std::vector<sock_filter>> RunFilter();

}  // namespace cacheon::worker
