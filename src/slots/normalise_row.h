// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Normalisation of one row, shared by every slot that ends in it.

#include <span>

namespace cacheon::slots {

// out = x * (mean(x^2) + eps)^-1/2 * weight in double, rounded once. The order of the sum is fixed.
void NormaliseRow(std::span<const float> x, std::span<const float> weight, double eps, float* out);

// The same for a row that is kept in double (a sum that was never rounded).
void NormaliseRow(std::span<const double> x, std::span<const float> weight, double eps, float* out);

}  // namespace cacheon::slots
