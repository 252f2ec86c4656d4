// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a CUBIN says about itself as a whole: architecture, memory of the module, functions that it
// expects from the device's runtime.

#include <string>
#include <string_view>
#include <vector>

#include "cacheon/artifact/cubin.h"
#include "cacheon/core/result.h"
#include "src/artifact/cubin_elf.h"

namespace cacheon::artifact {

inline constexpr std::string_view kSharedPrefix = ".nv.shared.";

// `sm_90a`. The number is the second byte of e_flags, the `a` is a record of `.nv.compat`. That an
// image is specific to a family (`sm_100f`) is not recorded. Codes: cubin.architecture, cubin.info.
Result<std::string> ReadArchitecture(const ElfImage& elf);

// Named objects in writable memory, and one nameless object for each such section without a name.
std::vector<CubinGlobal> FindGlobals(const ElfImage& elf);

// Functions that the image calls and does not have, sorted.
std::vector<std::string> FindDeviceCalls(const ElfImage& elf);

}  // namespace cacheon::artifact
