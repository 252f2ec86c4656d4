// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The comparators that look at rows as sets: the K best of a row of scores, or a row of ids. Rows
// are independent; a block of rows is one unit of work and results are added up in order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/tensor/compare_metrics.h"
#include "src/tensor/float_reader.h"

namespace cacheon::tensor::detail {
namespace {

constexpr std::int64_t kBlockElements = 16384;

struct RowBlock {
  double share_sum = 0;  // of rows that count
  std::int64_t rows = 0;
  std::int64_t missing = 0;
  std::int64_t bad_actual = 0;
  std::int64_t bad_expected = 0;
  std::int64_t first_bad = -1;            // row-major position of the first bad actual cell
  RowScore worst{.row = -1, .score = 2};  // above every share
  std::int64_t missing_position = -1;     // in the worst row, the first id that is missing

  void AddRow(std::int64_t row, std::int64_t hits, std::int64_t wanted, std::int64_t position) {
    const double share = static_cast<double>(hits) / static_cast<double>(wanted);
    share_sum += share;
    ++rows;
    missing += wanted - hits;
    if (share < worst.score) {
      worst = {.row = row, .score = share};
      missing_position = position;
    }
  }

  void Add(const RowBlock& other) {
    share_sum += other.share_sum;
    rows += other.rows;
    missing += other.missing;
    bad_actual += other.bad_actual;
    bad_expected += other.bad_expected;
    if (first_bad < 0) first_bad = other.first_bad;
    if (other.worst.score < worst.score) {
      worst = other.worst;
      missing_position = other.missing_position;
    }
  }
};

// Calls compare(row, block) for every row and adds the blocks up in order.
template <typename CompareRow>
RowBlock ForEachRow(std::int64_t rows, std::int64_t row_length, int threads, CompareRow compare) {
  const std::int64_t block = std::max<std::int64_t>(1, kBlockElements / row_length);
  std::vector<RowBlock> blocks(static_cast<std::size_t>(rows == 0 ? 0 : (rows - 1) / block + 1));
  ParallelFor(
      rows, block,
      [&](std::int64_t begin, std::int64_t end) {
        RowBlock& result = blocks[static_cast<std::size_t>(begin / block)];
        compare(begin, end, result);
      },
      threads);
  RowBlock total;
  for (const RowBlock& part : blocks) total.Add(part);
  return total;
}

// The positions of the `k` highest of `scores`, ascending. NaN is above all (as in torch), the
// lower position wins a tie.
void HighestPositions(std::span<const float> scores, std::size_t k,
                      std::vector<std::int32_t>& positions) {
  positions.resize(scores.size());
  std::iota(positions.begin(), positions.end(), 0);
  const auto higher = [&](std::int32_t a, std::int32_t b) {
    const float x = scores[static_cast<std::size_t>(a)];
    const float y = scores[static_cast<std::size_t>(b)];
    if (std::isnan(x) != std::isnan(y)) return std::isnan(x);
    return x > y || (!(x < y) && a < b);
  };
  std::ranges::nth_element(positions, positions.begin() + static_cast<std::ptrdiff_t>(k) - 1,
                           higher);
  positions.resize(k);
  std::ranges::sort(positions);
}

bool IsBadScore(float score) { return std::isnan(score) || (std::isinf(score) && score > 0); }

class ScoreRows {
 public:
  ScoreRows(const Operands& operands, std::int64_t k)
      : actual_(operands.actual),
        expected_(operands.expected),
        length_(operands.row_length()),
        k_(static_cast<std::size_t>(k)) {}

  void Compare(std::int64_t begin, std::int64_t end, RowBlock& block) const {
    const auto n = static_cast<std::size_t>(length_);
    std::vector<float> actual_buffer(n);
    std::vector<float> expected_buffer(n);
    std::vector<std::int32_t> chosen;
    std::vector<std::int32_t> wanted;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::span actual(actual_.Read(row * length_, length_, actual_buffer.data()), n);
      const std::span expected(expected_.Read(row * length_, length_, expected_buffer.data()), n);
      CountBad(row, actual, expected, block);
      HighestPositions(actual, k_, chosen);
      HighestPositions(expected, k_, wanted);
      std::int64_t hits = 0;
      std::int64_t missing = -1;
      for (const std::int32_t position : wanted) {
        const bool hit = std::ranges::binary_search(chosen, position);
        hits += hit ? 1 : 0;
        if (!hit && missing < 0) missing = row * length_ + position;
      }
      block.AddRow(row, hits, static_cast<std::int64_t>(k_), missing);
    }
  }

 private:
  void CountBad(std::int64_t row, std::span<const float> actual, std::span<const float> expected,
                RowBlock& block) const {
    block.bad_expected += std::ranges::count_if(expected, IsBadScore);
    const std::int64_t bad = std::ranges::count_if(actual, IsBadScore);
    if (bad > 0 && block.first_bad < 0) {
      const auto first = std::ranges::find_if(actual, IsBadScore);
      block.first_bad = row * length_ + (first - actual.begin());
    }
    block.bad_actual += bad;
  }

  FloatReader actual_;
  FloatReader expected_;
  std::int64_t length_;
  std::size_t k_;
};

class IndexRows {
 public:
  explicit IndexRows(const Operands& operands)
      : operands_(operands), length_(operands.row_length()) {}

  void Compare(std::int64_t begin, std::int64_t end, RowBlock& block) const {
    std::vector<std::int64_t> actual(static_cast<std::size_t>(length_));
    std::vector<std::int64_t> expected(actual.size());
    for (std::int64_t row = begin; row < end; ++row) {
      ReadIntegers(operands_.actual, row * length_, actual);
      ReadIntegers(operands_.expected, row * length_, expected);
      CountBadPadding(row, actual, expected, block);
      std::ranges::sort(actual);
      CompareRow(row, actual, expected, block);
    }
  }

 private:
  void CountBadPadding(std::int64_t row, std::span<const std::int64_t> actual,
                       std::span<const std::int64_t> expected, RowBlock& block) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] >= 0 || actual[i] == -1) continue;
      ++block.bad_actual;
      if (block.first_bad < 0) block.first_bad = row * length_ + static_cast<std::int64_t>(i);
    }
  }

  // `sorted_actual` is the actual row in ascending order.
  void CompareRow(std::int64_t row, std::span<const std::int64_t> sorted_actual,
                  std::span<const std::int64_t> expected, RowBlock& block) const {
    std::int64_t hits = 0;
    std::int64_t wanted = 0;
    std::int64_t missing = -1;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] < 0) continue;
      ++wanted;
      const bool hit = std::ranges::binary_search(sorted_actual, expected[i]);
      hits += hit ? 1 : 0;
      if (!hit && missing < 0) missing = row * length_ + static_cast<std::int64_t>(i);
    }
    if (wanted > 0) block.AddRow(row, hits, wanted, missing);
  }

  const Operands& operands_;
  std::int64_t length_;
};

double ElementAt(const ConstTensorView& view, std::int64_t position) {
  if (IsFloating(view.dtype)) {
    float value = 0;
    ReadFloats(view, position, {&value, 1});
    return value;
  }
  std::int64_t value = 0;
  ReadIntegers(view, position, {&value, 1});
  return static_cast<double>(value);
}

void SetWorst(const Operands& operands, std::int64_t position, Comparison& result) {
  if (position < 0) return;
  result.worst = WorstElement{.index = IndexOf(operands.expected.shape(), position),
                              .expected = ElementAt(operands.expected, position),
                              .actual = ElementAt(operands.actual, position)};
}

// Fills what both metrics share; the score is the mean share over the rows that count.
void JudgeOverlap(const Operands& operands, const RowBlock& total, Comparison& result) {
  result.threshold = operands.policy.min_overlap;
  result.score = total.rows == 0 ? 0 : total.share_sum / static_cast<double>(total.rows);
  result.outside = total.missing;
  if (total.worst.row >= 0) result.worst_row = total.worst;
  result.passed = total.rows > 0 && result.score >= operands.policy.min_overlap;
  SetWorst(operands, total.first_bad >= 0 ? total.first_bad : total.missing_position, result);
  if (result.passed) return;
  result.detail =
      total.rows == 0
          ? std::string("no row holds a valid id")
          : fmt::format("the overlap is {:.6f}, {:g} is needed; row {} has {:.4f}", result.score,
                        operands.policy.min_overlap, total.worst.row, total.worst.score);
}

}  // namespace

void CompareScores(const Operands& operands, Comparison& result) {
  if (result.element_count == 0) {
    result.passed = true;
    result.score = 1;
    result.threshold = operands.policy.min_overlap;
    return;
  }
  const std::int64_t length = operands.row_length();
  const ScoreRows rows(operands, std::min(operands.policy.top_k, length));
  const RowBlock total = ForEachRow(result.element_count / length, length, operands.threads,
                                    [&](std::int64_t begin, std::int64_t end, RowBlock& block) {
                                      rows.Compare(begin, end, block);
                                    });
  JudgeOverlap(operands, total, result);
  result.non_finite = total.bad_actual;
  result.non_finite_expected = total.bad_expected;
  if (total.bad_actual == 0) return;
  result.passed = false;
  result.score = 0;
  result.detail = fmt::format("{} scores are NaN or +inf; the first at {}", total.bad_actual,
                              FormatIndex(result.worst->index));
}

void CompareIndices(const Operands& operands, Comparison& result) {
  const std::int64_t length = std::max<std::int64_t>(1, operands.row_length());
  const IndexRows rows(operands);
  const RowBlock total = ForEachRow(result.element_count / length, length, operands.threads,
                                    [&](std::int64_t begin, std::int64_t end, RowBlock& block) {
                                      rows.Compare(begin, end, block);
                                    });
  JudgeOverlap(operands, total, result);
  if (total.bad_actual == 0) return;
  result.padding_violation = true;
  result.passed = false;
  result.score = 0;
  result.detail =
      fmt::format("{} cells that must be -1 are not; the first at {}: got {}", total.bad_actual,
                  FormatIndex(result.worst->index), result.worst->actual);
}

}  // namespace cacheon::tensor::detail
