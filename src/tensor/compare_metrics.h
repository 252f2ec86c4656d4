// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two families of comparators, called by Compare() after it has checked policy and shapes. Each
// fills everything of a Comparison but metric and element_count, which are set already.

#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/tensor/compare.h"

namespace cacheon::tensor::detail {

struct Operands {
  const ConstTensorView& actual;
  const ConstTensorView& expected;
  const ComparePolicy& policy;
  int threads;

  std::int64_t row_length() const {
    return expected.layout.shape.empty() ? 1 : expected.layout.shape.back();
  }
};

// kAllClose, kMatchedRatio, kCosine.
void CompareByElement(const Operands& operands, Comparison& result);

// kTopKOverlapScores, kTopKOverlapIndices.
void CompareScores(const Operands& operands, Comparison& result);
void CompareIndices(const Operands& operands, Comparison& result);

// "[1, 2]" and the index of a row-major position.
std::string FormatIndex(std::span<const std::int64_t> index);
std::vector<std::int64_t> IndexOf(std::span<const std::int64_t> shape, std::int64_t position);

}  // namespace cacheon::tensor::detail
