// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bytes of planned inputs.

#include <cstddef>
#include <cstdint>

#include "cacheon/slots/case.h"

namespace cacheon::slots {

// Writes the row-major elements [first, first + count) of a planned input, in its dtype and dense.
// A pure function: any split of the elements gives the same bytes. `target` holds
// count * ItemSize(dtype) bytes. Requires that the tensor is an input.
void WriteInputValues(const PlannedTensor& input, std::int64_t first, std::int64_t count,
                      std::byte* target);

}  // namespace cacheon::slots
