// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a CUBIN has exactly the kernels that a device plan declares, before any driver sees it:
// the comparison that admission makes with the driver's own list. Names only order: the kernels of
// each side are sorted by name in byte order, and the i-th logical kernel is the i-th physical one.

#include <cstddef>
#include <span>
#include <vector>

#include "cacheon/artifact/cubin.h"
#include "cacheon/artifact/device_plan.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/core/error.h"

namespace cacheon::artifact {

struct InventoryMatch {
  std::vector<std::size_t> physical;  // for each logical kernel, its place in Cubin::kernels
  std::vector<Error> mismatches;      // empty: the inventory is complete and every width agrees
};

// `logical` is sorted by name, as DevicePlan::kernels is; `path` is that of the list. Every
// mismatch is told, with the names of both sides: cubin.kernel_count (at `path`; nothing is paired
// then), cubin.parameter_count and cubin.parameter_size (at `path[i].parameter_sizes[j]`).
InventoryMatch MatchInventory(std::span<const KernelContract> logical, const Cubin& cubin,
                              const KeyPath& path);

}  // namespace cacheon::artifact
