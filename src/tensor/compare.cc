// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/tensor/compare_metrics.h"

namespace cacheon::tensor {
namespace {

bool IsShare(double value) { return value >= 0 && value <= 1; }  // false for NaN
bool IsTolerance(double value) { return value >= 0 && std::isfinite(value); }

// What is wrong with the policy for these dtypes; empty when nothing is.
std::string_view PolicyFault(const ComparePolicy& policy, DType actual, DType expected) {
  if (actual == DType::kFloat4E2M1x2 || expected == DType::kFloat4E2M1x2) {
    return "packed E2M1 numbers are decoded before they are compared";
  }
  switch (policy.metric) {
    case Metric::kMatchedRatio:
      if (!IsShare(policy.min_ratio)) return "min_ratio is no share of 1";
      [[fallthrough]];
    case Metric::kAllClose:
      if (!IsTolerance(policy.atol) || !IsTolerance(policy.rtol)) {
        return "atol and rtol are finite and at least 0";
      }
      return {};
    case Metric::kCosine:
      if (!(policy.min_cosine >= -1 && policy.min_cosine <= 1)) return "min_cosine is no cosine";
      if (!IsTolerance(policy.max_rel_norm_error)) return "max_rel_norm_error is at least 0";
      return {};
    case Metric::kTopKOverlapScores:
      if (!IsFloating(actual) || !IsFloating(expected)) return "scores are floating numbers";
      if (policy.top_k < 1) return "top_k is at least 1";
      break;
    case Metric::kTopKOverlapIndices:
      if (IsFloating(actual) || IsFloating(expected)) return "indices are integers";
      break;
  }
  return IsShare(policy.min_overlap) ? std::string_view() : "min_overlap is no share of 1";
}

void FailForShapes(const ConstTensorView& actual, const ConstTensorView& expected,
                   Comparison& result) {
  result.max_abs = std::numeric_limits<double>::infinity();
  result.max_rel = std::numeric_limits<double>::infinity();
  result.detail =
      fmt::format("the shape is {}, expected is {}", detail::FormatIndex(actual.shape()),
                  detail::FormatIndex(expected.shape()));
}

}  // namespace

namespace detail {

std::string FormatIndex(std::span<const std::int64_t> index) {
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::vector<std::int64_t> IndexOf(std::span<const std::int64_t> shape, std::int64_t position) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = position % shape[i];
    position /= shape[i];
  }
  return index;
}

}  // namespace detail

std::string_view MetricName(Metric metric) {
  switch (metric) {
    case Metric::kAllClose:
      return "allclose";
    case Metric::kMatchedRatio:
      return "matched_ratio";
    case Metric::kCosine:
      return "cosine";
    case Metric::kTopKOverlapScores:
      return "topk_overlap_scores";
    case Metric::kTopKOverlapIndices:
      return "topk_overlap_indices";
  }
  return {};
}

Result<Comparison> Compare(const ConstTensorView& actual, const ConstTensorView& expected,
                           const ComparePolicy& policy, int threads) {
  const std::string_view fault = PolicyFault(policy, actual.dtype, expected.dtype);
  if (!fault.empty()) {
    return Fail("compare.policy",
                fmt::format("{} cannot compare {} with {}: {}", MetricName(policy.metric),
                            Name(actual.dtype), Name(expected.dtype), fault));
  }
  Comparison result{.metric = policy.metric};
  ASSIGN_OR_RETURN(result.element_count, ElementCount(expected.shape()));
  if (!std::ranges::equal(actual.shape(), expected.shape())) {
    FailForShapes(actual, expected, result);
    return result;
  }
  const detail::Operands operands{actual, expected, policy, threads};
  switch (policy.metric) {
    case Metric::kAllClose:
    case Metric::kMatchedRatio:
    case Metric::kCosine:
      detail::CompareByElement(operands, result);
      break;
    case Metric::kTopKOverlapScores:
      detail::CompareScores(operands, result);
      break;
    case Metric::kTopKOverlapIndices:
      detail::CompareIndices(operands, result);
      break;
  }
  return result;
}

}  // namespace cacheon::tensor
