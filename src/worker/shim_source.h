// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The text of src/worker/python/shim.py, compiled in, so that no installed file can differ from the
// binary that relies on it.

#include <string_view>

namespace cacheon::worker {

std::string_view ShimSource();

}  // namespace cacheon::worker
