// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention of the query heads that share one head of keys and values, in double.

#include <cstdint>
#include <span>
#include <vector>

namespace cacheon::slots {

// Buffers that are kept between groups; one per thread.
struct AttentionScratch {
  std::vector<double> queries;
  std::vector<double> row;
  std::vector<double> scores;
  std::vector<double> sums;
};

struct AttentionGroup {
  std::span<const float* const> queries;  // one row of `head_dim` per query head
  std::span<const float* const> keys;     // one row of `head_dim` per visible key
  std::span<const float* const> values;   // as many rows of `value_dim`
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;
  double scale = 1;
};

// outputs[h][:] = softmax(scale * q_h K^T) V, zeros when no key is visible. The order of every sum
// is fixed.
void Attend(const AttentionGroup& group, AttentionScratch& scratch,
            std::span<float* const> outputs);

// The dot product of double rows, summed in a fixed order.
double Dot(const double* a, const double* b, std::int64_t count);
void Widen(const float* source, std::int64_t count, double* target);

}  // namespace cacheon::slots
