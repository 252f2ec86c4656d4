// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/attention_group.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cacheon/core/vector_clones.h"
#include "src/slots/exponential.h"

namespace cacheon::slots {
namespace {

constexpr std::int64_t kLanes = 16;

CACHEON_VECTOR_CLONES double DotLanes(const double* a, const double* b, std::int64_t count) {
  std::array<double, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
    }
  }
  for (std::int64_t lane = 0; i + lane < count; ++lane) {
    lanes[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

CACHEON_VECTOR_CLONES void WidenRow(const float* source, std::int64_t count, double* target) {
  for (std::int64_t i = 0; i < count; ++i) target[i] = source[i];
}

CACHEON_VECTOR_CLONES void AddScaled(const double* row, double factor, std::int64_t count,
                                     double* sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += factor * row[i];
}

CACHEON_VECTOR_CLONES void Exponentiate(double* scores, std::int64_t count, double largest) {
  for (std::int64_t i = 0; i < count; ++i) scores[i] = Exp(scores[i] - largest);
}

// scores[h * keys + j] = e^(score - largest of the head).
void ScoreKeys(const AttentionGroup& group, AttentionScratch& scratch) {
  const auto heads = static_cast<std::int64_t>(group.queries.size());
  const auto keys = static_cast<std::int64_t>(group.keys.size());
  const std::int64_t dim = group.head_dim;
  scratch.queries.resize(static_cast<std::size_t>(heads * dim));
  scratch.scores.resize(static_cast<std::size_t>(heads * keys));
  for (std::int64_t h = 0; h < heads; ++h) {
    WidenRow(group.queries[static_cast<std::size_t>(h)], dim, scratch.queries.data() + h * dim);
  }
  scratch.row.resize(static_cast<std::size_t>(std::max(dim, group.value_dim)));
  for (std::int64_t j = 0; j < keys; ++j) {
    WidenRow(group.keys[static_cast<std::size_t>(j)], dim, scratch.row.data());
    for (std::int64_t h = 0; h < heads; ++h) {
      scratch.scores[static_cast<std::size_t>(h * keys + j)] =
          group.scale * DotLanes(scratch.queries.data() + h * dim, scratch.row.data(), dim);
    }
  }
  for (std::int64_t h = 0; h < heads; ++h) {
    double* scores = scratch.scores.data() + h * keys;
    Exponentiate(scores, keys, *std::max_element(scores, scores + keys));
  }
}

}  // namespace

double Dot(const double* a, const double* b, std::int64_t count) { return DotLanes(a, b, count); }

void Widen(const float* source, std::int64_t count, double* target) {
  WidenRow(source, count, target);
}

void Attend(const AttentionGroup& group, AttentionScratch& scratch,
            std::span<float* const> outputs) {
  const auto heads = static_cast<std::int64_t>(group.queries.size());
  const auto keys = static_cast<std::int64_t>(group.keys.size());
  const std::int64_t dim = group.value_dim;
  scratch.sums.assign(static_cast<std::size_t>(heads * dim), 0.0);
  if (keys > 0) ScoreKeys(group, scratch);
  for (std::int64_t j = 0; j < keys; ++j) {
    WidenRow(group.values[static_cast<std::size_t>(j)], dim, scratch.row.data());
    for (std::int64_t h = 0; h < heads; ++h) {
      AddScaled(scratch.row.data(), scratch.scores[static_cast<std::size_t>(h * keys + j)], dim,
                scratch.sums.data() + h * dim);
    }
  }
  for (std::int64_t h = 0; h < heads; ++h) {
    double total = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      total += scratch.scores[static_cast<std::size_t>(h * keys + j)];
    }
    const double factor = keys > 0 ? 1.0 / total : 0.0;
    const double* sum = scratch.sums.data() + h * dim;
    float* out = outputs[static_cast<std::size_t>(h)];
    for (std::int64_t i = 0; i < dim; ++i) out[i] = static_cast<float>(sum[i] * factor);
  }
}

}  // namespace cacheon::slots
