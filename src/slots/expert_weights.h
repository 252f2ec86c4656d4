// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the experts' weights as floats, whatever they are stored as. Only the rows that are asked
// for are converted.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/tensor/view.h"

namespace cacheon::slots {

class ExpertWeights {
 public:
  virtual ~ExpertWeights() = default;

  // Rows [first, first + count) of one expert's matrix, dense; in place or in `scratch`. May be
  // called from several threads, each with a scratch of its own.
  virtual const float* Rows(std::int64_t expert, std::int64_t first, std::int64_t count,
                            std::vector<float>& scratch) const = 0;
};

// [E, rows, columns] of a floating dtype.
std::unique_ptr<ExpertWeights> DenseWeights(const tensor::ConstTensorView& weights);

// NVFP4: packed [E, rows, columns / 2], swizzled scales, and the outer scale of each expert. With
// `stored_row` not empty, row r of the matrix stands at stored_row[r].
struct PackedMatrix {
  tensor::ConstTensorView packed;
  tensor::ConstTensorView scales;
  std::vector<float> outer;
  std::vector<std::int64_t> stored_row;
};
std::unique_ptr<ExpertWeights> PackedWeights(PackedMatrix matrix);

}  // namespace cacheon::slots
