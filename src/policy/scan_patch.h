// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dependency patches of a bundle: parsed, held against what may be patched, applied in memory
// to the pinned dependency, and the resulting CUDA files scanned like the bundle's own.

#include <vector>

#include "cacheon/policy/scan.h"

namespace cacheon::policy {

inline constexpr std::size_t kMaxPatches = 8;
inline constexpr std::size_t kMaxPatchBytes = 256U << 10U;
inline constexpr std::size_t kMaxPatchedFiles = 64;
inline constexpr std::size_t kMaxPatchHunks = 512;
inline constexpr std::size_t kMaxAddedLines = 20'000;
inline constexpr std::size_t kMaxPatchLineBytes = 8U << 10U;

// Codes: those of bundle::ParsePatch, bundle::CheckPatchPolicy and bundle::ApplyPatches; dep.limit,
// dep.glob, dep.construct, dep.context, dep.newstart, dep.dup, dep.added_cuda.
std::vector<Error> CheckPatches(const ScanBundle& bundle, bundle::Mode mode,
                                const bundle::DependencyReader& dependency);

}  // namespace cacheon::policy
