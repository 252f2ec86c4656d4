// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/overlap_acceptance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "src/slots/row_reader.h"

namespace cacheon::slots {
namespace {

constexpr float kForced = std::numeric_limits<float>::max();  // and above

// The root mean square of a row's ordinary scores.
double OrdinarySize(std::span<const float> scores) {
  double squares = 0;
  std::int64_t count = 0;
  for (const float score : scores) {
    if (!std::isfinite(score) || score >= kForced) continue;
    squares += static_cast<double>(score) * static_cast<double>(score);
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

// The lowest score that counts as chosen when `width` are.
double Threshold(const AcceptanceRule& rule, const SlackScale& scale, std::span<const float> scores,
                 std::size_t width) {
  std::vector<float> sorted(scores.begin(), scores.end());
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(width - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const double size =
      std::fabs(static_cast<double>(*last)) + rule.group_weight * OrdinarySize(scores);
  return *last >= kForced ? *last : *last - scale.unit * size;
}

// The indices of the `count` highest scores, ties to the lower index.
std::vector<std::int64_t> Highest(std::span<const float> scores, std::size_t count) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; });
  order.resize(std::min(count, order.size()));
  return order;
}

void AddRow(const AcceptanceRule& rule, std::int64_t row, double share, Acceptance& total) {
  ++total.group_count;
  if (share < rule.min_group_share) ++total.failed_groups;
  if (share >= total.worst_group_share) return;
  total.worst_group_share = share;
  total.worst = tensor::WorstElement{.index = {row}, .expected = 1, .actual = share};
}

// One row of ids against the scores behind it.
struct RowCount {
  std::int64_t right = 0;
  std::int64_t invalid = 0;
};

RowCount CountIds(std::span<const std::int32_t> ids, std::span<const float> scores,
                  double threshold) {
  RowCount count;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == -1) continue;
    const auto seen = std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]);
    const bool twice = seen != ids.begin() + static_cast<std::ptrdiff_t>(i);
    const bool visible =
        ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < scores.size() &&
        scores[static_cast<std::size_t>(ids[i])] != -std::numeric_limits<float>::infinity();
    if (twice || !visible) {
      ++count.invalid;
    } else if (scores[static_cast<std::size_t>(ids[i])] >= threshold) {
      ++count.right;
    }
  }
  return count;
}

}  // namespace

Acceptance AcceptScores(const AcceptanceRule& rule, const SlackScale& scale, std::int64_t top_k,
                        const tensor::ConstTensorView& actual,
                        const tensor::ConstTensorView& expected) {
  const RowReader actual_rows(actual);
  const RowReader expected_rows(expected);
  std::vector<float> actual_scratch;
  std::vector<float> expected_scratch;
  Acceptance total;
  for (std::int64_t row = 0; row < expected_rows.rows(); ++row) {
    const std::span<const float> scores = expected_rows.Read(row, expected_scratch);
    const std::span<const float> got = actual_rows.Read(row, actual_scratch);
    const auto visible = static_cast<std::size_t>(std::ranges::count_if(
        scores, [](float score) { return score != -std::numeric_limits<float>::infinity(); }));
    const std::size_t width = std::min(static_cast<std::size_t>(top_k), visible);
    if (width == 0) continue;
    const double threshold = Threshold(rule, scale, scores, width);
    std::int64_t right = 0;
    for (const std::int64_t block : Highest(got, width)) {
      right += scores[static_cast<std::size_t>(block)] >= threshold ? 1 : 0;
    }
    AddRow(rule, row, static_cast<double>(right) / static_cast<double>(width), total);
  }
  total.passed = total.failed_groups == 0;
  return total;
}

Acceptance AcceptIndices(const AcceptanceRule& rule, const SlackScale& scale,
                         const tensor::ConstTensorView& actual,
                         const tensor::ConstTensorView& expected,
                         const tensor::ConstTensorView& scores) {
  const RowReader score_rows(scores);
  const auto cells = static_cast<std::size_t>(expected.shape().back());
  std::vector<float> scratch;
  Acceptance total;
  for (std::int64_t row = 0; row < score_rows.rows(); ++row) {
    const std::int64_t first = row * static_cast<std::int64_t>(cells);
    const std::span wanted(tensor::Elements<std::int32_t>(expected) + first, cells);
    const std::span got(tensor::Elements<std::int32_t>(actual) + RowOffset(actual.layout, row),
                        cells);
    const auto width =
        static_cast<std::size_t>(std::ranges::count_if(wanted, [](auto id) { return id >= 0; }));
    if (width == 0) continue;
    const std::span<const float> behind = score_rows.Read(row, scratch);
    const RowCount count = CountIds(got, behind, Threshold(rule, scale, behind, width));
    total.outliers += count.invalid;
    AddRow(rule, row, static_cast<double>(count.right) / static_cast<double>(width), total);
  }
  total.passed = total.failed_groups == 0 && total.outliers == 0;
  return total;
}

}  // namespace cacheon::slots
