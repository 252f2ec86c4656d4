// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// CACHEON_VECTOR_CLONES before a function compiles it for three x86-64 levels and picks one when
// the program is loaded. Loops under it must give the same bits at every level: fixed lanes for
// sums, no fused operations (compile the file with -ffp-contract=off). Callees count only when
// inlined.

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__clang__)
#define CACHEON_VECTOR_CLONES \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
// Sanitizer runtimes start after the resolvers of target_clones would run.
#define CACHEON_VECTOR_CLONES
#endif
