// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scalars as bytes of a kernel parameter, little-endian, rounded to nearest even where a float type
// is narrower than binary64.

#include <cstddef>
#include <span>

#include "cacheon/artifact/scalar_type.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// Writes `value` as `type` to the front of `out`. Requires a parameter type and as many bytes as it
// has. A bool needs a bool, an integer an integer in range, a float a finite float: nothing is
// converted. Underflow goes to subnormals and zero. Codes ln.scalar_bool, ln.scalar_range,
// ln.scalar_float.
Status PackScalar(ScalarType type, const TypedScalar& value, std::span<std::byte> out);

}  // namespace cacheon::artifact
