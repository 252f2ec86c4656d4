// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cacheon/core/parallel.h"
#include "cacheon/core/vector_clones.h"
#include "src/slots/row_reader.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kElementsPerBlock = std::int64_t{1} << 16;
constexpr std::size_t kLanes = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One group's measurements. Sums run in fixed lanes, so that they are the same on every machine.
struct GroupSums {
  double expected_squares = 0;
  double error_squares = 0;
  std::int64_t within = 0;
  std::int64_t outliers = 0;
};

template <typename Term>
inline double SumInLanes(std::size_t count, Term term) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  }
  for (std::size_t lane = 0; i + lane < count; ++lane) lanes[lane] += term(i + lane);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

CACHEON_VECTOR_CLONES void SumSquares(const float* actual, const float* expected, std::size_t count,
                                      GroupSums& sums) {
  sums.expected_squares = SumInLanes(count, [=](std::size_t i) {
    const double value = expected[i];
    return value * value;
  });
  sums.error_squares = SumInLanes(count, [=](std::size_t i) {
    const double error = static_cast<double>(actual[i]) - static_cast<double>(expected[i]);
    return error * error;
  });
}

// `margins[i]` becomes |a - e| / slack; NaN and infinities become infinite.
CACHEON_VECTOR_CLONES void Margins(const float* actual, const float* expected, std::size_t count,
                                   double unit, double base, double* margins) {
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::fabs(static_cast<double>(expected[i]));
    const double error =
        std::fabs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
    const double margin = error / (unit * size + base);
    margins[i] = margin <= std::numeric_limits<double>::max() ? margin : kInfinity;
  }
}

CACHEON_VECTOR_CLONES void CountMargins(const double* margins, std::size_t count, double cap,
                                        GroupSums& sums) {
  std::int64_t within = 0;
  std::int64_t outliers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    within += margins[i] <= 1 ? 1 : 0;
    outliers += margins[i] > cap ? 1 : 0;
  }
  sums.within = within;
  sums.outliers = outliers;
}

struct Worst {
  double margin = -1;
  std::int64_t position = 0;  // row-major
  double actual = 0;
  double expected = 0;
};

constexpr std::int64_t kNone = -1;

struct BlockFindings {
  Acceptance acceptance;
  Worst worst;
  std::int64_t unusable_group = kNone;  // the first whose expected values are not all finite
};

class Judge {
 public:
  Judge(const AcceptanceRule& rule, const SlackScale& scale, const tensor::ConstTensorView& actual,
        const tensor::ConstTensorView& expected)
      : rule_(rule), scale_(scale), actual_(actual), expected_(expected) {}

  std::int64_t group_count() const { return expected_.width() == 0 ? 0 : expected_.rows(); }
  std::int64_t width() const { return expected_.width(); }

  BlockFindings Run(std::int64_t begin, std::int64_t end) const {
    BlockFindings findings;
    Scratch scratch;
    scratch.margins.resize(static_cast<std::size_t>(width()));
    for (std::int64_t group = begin; group < end; ++group) Add(group, scratch, findings);
    return findings;
  }

 private:
  struct Scratch {
    std::vector<float> actual;
    std::vector<float> expected;
    std::vector<double> margins;
  };

  void Add(std::int64_t group, Scratch& scratch, BlockFindings& findings) const {
    const std::span<const float> actual = actual_.Read(group, scratch.actual);
    const std::span<const float> expected = expected_.Read(group, scratch.expected);
    const auto count = static_cast<double>(width());
    GroupSums sums;
    SumSquares(actual.data(), expected.data(), actual.size(), sums);
    // Squares of finite floats cannot overflow a double.
    if (!std::isfinite(sums.expected_squares) && findings.unusable_group == kNone) {
      findings.unusable_group = group;
    }
    const double rms = std::sqrt(sums.expected_squares / count);
    const double base = scale_.unit * rule_.group_weight * rms + scale_.floor;
    Margins(actual.data(), expected.data(), actual.size(), scale_.unit, base,
            scratch.margins.data());
    CountMargins(scratch.margins.data(), actual.size(), rule_.max_slacks, sums);

    Acceptance& total = findings.acceptance;
    const double share = static_cast<double>(sums.within) / count;
    const double l2_bound = rule_.max_group_l2 * scale_.unit * std::sqrt(sums.expected_squares) +
                            scale_.floor * std::sqrt(count);
    const double l2_ratio = std::sqrt(sums.error_squares) / l2_bound;
    const double l2 = l2_ratio <= std::numeric_limits<double>::max() ? l2_ratio : kInfinity;
    total.failed_groups += share < rule_.min_group_share || l2 > 1 ? 1 : 0;
    total.outliers += sums.outliers;
    total.worst_group_share = std::min(total.worst_group_share, share);
    total.worst_group_l2 = std::max(total.worst_group_l2, l2);
    const auto worst = std::ranges::max_element(scratch.margins);
    if (*worst <= findings.worst.margin) return;
    const auto column = worst - scratch.margins.begin();
    findings.worst = {.margin = *worst,
                      .position = group * width() + column,
                      .actual = actual[static_cast<std::size_t>(column)],
                      .expected = expected[static_cast<std::size_t>(column)]};
  }

  const AcceptanceRule& rule_;
  SlackScale scale_;
  RowReader actual_;
  RowReader expected_;
};

std::vector<std::int64_t> Unravel(std::int64_t position, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

void Merge(const BlockFindings& block, BlockFindings& total) {
  total.acceptance.failed_groups += block.acceptance.failed_groups;
  total.acceptance.outliers += block.acceptance.outliers;
  total.acceptance.worst_group_share =
      std::min(total.acceptance.worst_group_share, block.acceptance.worst_group_share);
  total.acceptance.worst_group_l2 =
      std::max(total.acceptance.worst_group_l2, block.acceptance.worst_group_l2);
  if (total.unusable_group == kNone) total.unusable_group = block.unusable_group;
  if (block.worst.margin > total.worst.margin) total.worst = block.worst;
}

}  // namespace

SlackScale SlackScaleOf(const AcceptanceRule& rule, DType call_dtype) {
  const double steps = call_dtype == DType::kFloat32 ? rule.steps_32_bit : rule.steps_16_bit;
  // One subnormal step of float16 is coarse enough to matter. For the two formats with eight
  // exponent bits it is the smallest normal number, because machines may flush subnormals.
  const double floor = call_dtype == DType::kFloat16 ? 0x1p-24 : 0x1p-126;
  const double unit = rule.unit > 0 ? rule.unit : steps * tensor::Epsilon(call_dtype);
  return {.unit = unit, .floor = floor};
}

Result<Acceptance> Accept(const AcceptanceRule& rule, const SlackScale& scale,
                          const tensor::ConstTensorView& actual,
                          const tensor::ConstTensorView& expected) {
  const Judge judge(rule, scale, actual, expected);
  const std::int64_t groups = judge.group_count();
  const std::int64_t block =
      std::max<std::int64_t>(1, kElementsPerBlock / std::max<std::int64_t>(judge.width(), 1));
  std::vector<BlockFindings> blocks(static_cast<std::size_t>((groups + block - 1) / block));
  ParallelFor(groups, block, [&](std::int64_t begin, std::int64_t end) {
    blocks[static_cast<std::size_t>(begin / block)] = judge.Run(begin, end);
  });
  BlockFindings total;
  for (const BlockFindings& findings : blocks) Merge(findings, total);

  if (total.unusable_group != kNone) {
    return Fail("slot.expected_not_finite",
                fmt::format("row {} of the reference is not finite: the case is unusable",
                            total.unusable_group));
  }
  Acceptance& acceptance = total.acceptance;
  acceptance.group_count = groups;
  acceptance.passed = acceptance.failed_groups == 0 && acceptance.outliers == 0;
  if (total.worst.margin >= 0) {
    acceptance.worst_margin = total.worst.margin;
    acceptance.worst =
        tensor::WorstElement{.index = Unravel(total.worst.position, expected.shape()),
                             .expected = total.worst.expected,
                             .actual = total.worst.actual};
  }
  return acceptance;
}

}  // namespace cacheon::slots
