// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The comparators that look at every element. The tensor is cut into blocks of whole rows (or of a
// fixed size where rows do not matter); each block is compared on some thread and the results are
// added up in the order of the blocks.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/tensor/compare_metrics.h"
#include "src/tensor/compare_tile.h"
#include "src/tensor/float_reader.h"

namespace cacheon::tensor::detail {
namespace {

constexpr std::int64_t kBlockElements = 65536;
constexpr std::int64_t kTileElements = 2048;  // two tiles stay in the first-level cache

struct BlockResult {
  ElementErrors errors;
  CosineSums sums;
  RowScore worst_row{.row = 0, .score = 2};  // above every cosine
};

// The cosine of one row. Where it is undefined, two zero rows match and others do not.
double RowCosine(const CosineSums& sums) {
  if (sums.expected == 0 || sums.actual == 0) return sums.expected == sums.actual ? 1 : 0;
  return std::clamp(sums.dot / (std::sqrt(sums.actual) * std::sqrt(sums.expected)), -1.0, 1.0);
}

class ElementComparison {
 public:
  explicit ElementComparison(const Operands& operands)
      : operands_(operands),
        actual_(operands.actual),
        expected_(operands.expected),
        bound_{.atol = static_cast<float>(operands.policy.atol),
               .rtol = static_cast<float>(operands.policy.rtol)} {}

  // Compares the elements [0, count) and keeps one result per block.
  void Run(std::int64_t count) {
    const bool by_rows = operands_.policy.metric == Metric::kCosine;
    const std::int64_t row = std::max<std::int64_t>(1, operands_.row_length());
    block_ = by_rows ? std::max<std::int64_t>(1, kBlockElements / row) * row : kBlockElements;
    count_ = count;
    blocks_.resize(static_cast<std::size_t>(count == 0 ? 0 : (count - 1) / block_ + 1));
    ParallelFor(
        count, block_,
        [&](std::int64_t begin, std::int64_t end) {
          BlockResult& block = blocks_[static_cast<std::size_t>(begin / block_)];
          if (by_rows) {
            CompareRows(begin, end, row, block);
          } else {
            CompareRange(begin, end, block.errors, nullptr);
          }
        },
        operands_.threads);
  }

  BlockResult Total() const {
    BlockResult total;
    for (const BlockResult& block : blocks_) {
      total.errors.Add(block.errors);
      total.sums.Add(block.sums);
      if (block.worst_row.score < total.worst_row.score) total.worst_row = block.worst_row;
    }
    return total;
  }

  // The first element that is not finite, else the first of the largest badness.
  std::optional<WorstElement> Worst(const ElementErrors& total) const {
    if (total.max_badness == 0) return std::nullopt;
    const bool want_non_finite = total.non_finite_actual > 0;
    const auto found = std::ranges::find_if(blocks_, [&](const BlockResult& block) {
      return want_non_finite ? block.errors.non_finite_actual > 0
                             : block.errors.max_badness == total.max_badness;
    });
    const std::int64_t begin = (found - blocks_.begin()) * block_;
    const std::int64_t end = std::min(count_, begin + block_);
    for (std::int64_t i = begin; i < end; ++i) {
      float buffer[2];
      const float a = *actual_.Read(i, 1, buffer);
      const float e = *expected_.Read(i, 1, buffer + 1);
      const bool is_it =
          want_non_finite ? !std::isfinite(a) : Badness(a, e, bound_) == total.max_badness;
      if (is_it) {
        return WorstElement{
            .index = IndexOf(operands_.expected.shape(), i), .expected = e, .actual = a};
      }
    }
    return std::nullopt;
  }

 private:
  void CompareRange(std::int64_t begin, std::int64_t end, ElementErrors& errors,
                    CosineSums* sums) const {
    alignas(64) std::array<float, kTileElements> actual_buffer;
    alignas(64) std::array<float, kTileElements> expected_buffer;
    for (std::int64_t first = begin; first < end; first += kTileElements) {
      const std::int64_t count = std::min(kTileElements, end - first);
      const float* a = actual_.Read(first, count, actual_buffer.data());
      const float* e = expected_.Read(first, count, expected_buffer.data());
      const auto n = static_cast<std::size_t>(count);
      errors.Add(CompareElements(a, e, n, bound_, operands_.actual.dtype));
      if (sums != nullptr) sums->Add(SumProducts(a, e, n));
    }
  }

  void CompareRows(std::int64_t begin, std::int64_t end, std::int64_t row,
                   BlockResult& block) const {
    for (std::int64_t first = begin; first < end; first += row) {
      CosineSums sums;
      CompareRange(first, first + row, block.errors, &sums);
      block.sums.Add(sums);
      const double cosine = RowCosine(sums);
      if (cosine < block.worst_row.score) block.worst_row = {.row = first / row, .score = cosine};
    }
  }

  const Operands& operands_;
  FloatReader actual_;
  FloatReader expected_;
  Bound bound_;
  std::int64_t count_ = 0;
  std::int64_t block_ = kBlockElements;
  std::vector<BlockResult> blocks_;
};

std::string WorstText(const Comparison& result) {
  if (!result.worst) return {};
  return fmt::format("; worst at {}: expected {:.9g}, got {:.9g}", FormatIndex(result.worst->index),
                     result.worst->expected, result.worst->actual);
}

void JudgeBound(const ComparePolicy& policy, Comparison& result) {
  const std::int64_t within = result.element_count - result.outside;
  result.threshold = policy.metric == Metric::kAllClose ? 1.0 : policy.min_ratio;
  result.score = result.element_count == 0
                     ? 1.0
                     : static_cast<double>(within) / static_cast<double>(result.element_count);
  result.passed =
      policy.metric == Metric::kAllClose ? result.outside == 0 : result.score >= policy.min_ratio;
  if (result.passed) return;
  result.detail = fmt::format("{} of {} elements are beyond {:g} + {:g} * |expected|",
                              result.outside, result.element_count, policy.atol, policy.rtol);
  if (policy.metric == Metric::kMatchedRatio) {
    result.detail +=
        fmt::format("; {:.6f} are within, {:g} is needed", result.score, policy.min_ratio);
  }
  result.detail += WorstText(result);
}

void JudgeCosine(const ComparePolicy& policy, const BlockResult& total, Comparison& result) {
  result.threshold = policy.min_cosine;
  result.score = 1;
  result.passed = true;
  if (result.element_count == 0) return;
  const double actual = std::sqrt(total.sums.actual);
  const double expected = std::sqrt(total.sums.expected);
  const double cosine = total.sums.dot / (actual * expected);
  result.score = std::isnan(cosine) ? 0 : std::clamp(cosine, -1.0, 1.0);
  result.rel_norm = std::fabs(actual - expected) / (expected + 1e-12);
  if (total.worst_row.score <= 1) result.worst_row = total.worst_row;
  if (!(cosine >= policy.min_cosine)) {
    result.passed = false;
    result.detail =
        std::isnan(cosine)
            ? std::string(
                  "the cosine is undefined: a tensor is all zero or the reference is not finite")
            : fmt::format("the cosine is {:.6f}, {:g} is needed", cosine, policy.min_cosine);
    result.detail += WorstText(result);
  } else if (policy.max_rel_norm_error > 0 && !(result.rel_norm <= policy.max_rel_norm_error)) {
    result.passed = false;
    result.detail = fmt::format("the norm is {:g}, expected {:g}: off by {:.3g}, {:g} is allowed",
                                actual, expected, result.rel_norm, policy.max_rel_norm_error);
  }
}

void FailNonFinite(Comparison& result) {
  result.passed = false;
  result.score = 0;
  result.max_abs = std::numeric_limits<double>::infinity();
  result.max_rel = std::numeric_limits<double>::infinity();
  result.detail = fmt::format("{} of {} elements are not finite{}", result.non_finite,
                              result.element_count, WorstText(result));
}

}  // namespace

void CompareByElement(const Operands& operands, Comparison& result) {
  ElementComparison comparison(operands);
  comparison.Run(result.element_count);
  const BlockResult total = comparison.Total();
  result.max_abs = total.errors.max_abs;
  result.max_rel = total.errors.max_rel;
  result.max_ulp = total.errors.max_ulp;
  result.outside = total.errors.outside;
  result.non_finite = total.errors.non_finite_actual;
  result.non_finite_expected = total.errors.non_finite_expected;
  if (IsFloating(operands.actual.dtype) && result.non_finite + result.non_finite_expected > 0) {
    result.max_ulp = std::numeric_limits<std::int64_t>::max();
  }
  result.worst = comparison.Worst(total.errors);
  if (operands.policy.metric == Metric::kCosine) {
    JudgeCosine(operands.policy, total, result);
  } else {
    JudgeBound(operands.policy, result);
  }
  if (result.non_finite > 0) FailNonFinite(result);
}

}  // namespace cacheon::tensor::detail
