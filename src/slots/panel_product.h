// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product of a few rows of weights with a few vectors: the inner loop of the expert reference,
// where the weights are read once and the vectors are many fewer than in a square product.

#include <cstdint>
#include <span>

namespace cacheon::slots {

// out[r * vectors.size() + v] = <weights row r, vectors[v]>, each of `width` elements. Sums run in
// 16 lanes of float32 over 512 elements at most, and these partial sums in double: the error stays
// near one rounding of the largest partial sum, and the bits are the same on every machine.
void PanelProduct(const float* weights, std::int64_t rows, std::int64_t width,
                  std::span<const float* const> vectors, double* out);

}  // namespace cacheon::slots
