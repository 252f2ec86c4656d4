// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The comparators: how an output is judged against the reference. Everything is compared as
// float32. The published rules stand alone here; stricter acceptance comes on top of them
// elsewhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"

namespace cacheon::tensor {

enum class Metric : std::uint8_t {
  kAllClose,            // every element within atol + rtol * |expected|
  kMatchedRatio,        // a share of the elements within the same bound
  kCosine,              // the angle between the flattened tensors, and optionally their norms
  kTopKOverlapScores,   // the K highest scores of each row are the same ones
  kTopKOverlapIndices,  // rows of ids, -1 for none, hold the same ids
};

std::string_view MetricName(Metric metric);  // "allclose", "matched_ratio", ...

struct ComparePolicy {
  Metric metric = Metric::kAllClose;
  double atol = 0;
  double rtol = 0;
  double min_ratio = 1.0;
  double min_cosine = 0;
  double max_rel_norm_error = 0;  // 0: norms are not compared
  double min_overlap = 0;
  std::int64_t top_k = 0;  // kTopKOverlapScores only
};

struct RowScore {
  std::int64_t row = 0;  // row-major over all dimensions but the last
  double score = 0;
};

// The element that is worst by the metric: the largest |a - e| / (atol + rtol |e|), non-finite
// first.
struct WorstElement {
  std::vector<std::int64_t> index = {};
  double expected = 0;
  double actual = 0;
};

struct Comparison {
  bool passed = false;
  Metric metric = Metric::kAllClose;
  double score = 0;      // share within, cosine or overlap
  double threshold = 0;  // what the score needed
  double max_abs = 0;    // infinite when something is not finite
  double max_rel = 0;
  double rel_norm = 0;       // | |a| - |e| | / (|e| + 1e-12); cosine only
  std::int64_t max_ulp = 0;  // in the output's own format, saturated; floating outputs only
  std::int64_t element_count = 0;
  std::int64_t outside = 0;     // elements beyond the bound; overlaps: ids that are missing
  std::int64_t non_finite = 0;  // in the actual tensor; scores: NaN and +inf only
  std::int64_t non_finite_expected = 0;  // likewise; a case that has any proves nothing
  bool padding_violation = false;        // indices: a cell that must be -1 is not
  // Cosine and overlaps: the lowest score of one row (of the last dimension). The published rules
  // do not look at it; a mean can hide a row of garbage.
  std::optional<RowScore> worst_row = {};
  std::optional<WorstElement> worst = {};
  std::string detail = {};  // one sentence when it failed, else empty
};

// Judges `actual` against `expected` (same shape; a mismatch is a failed comparison with score 0).
// The dtypes may differ: a reference may be wider than the output. An empty tensor matches, except
// that kTopKOverlapIndices wants a row with an id. Runs on `threads` threads (0: all cores); the
// result is bitwise the same for any number. Fails only for a policy that makes no sense for the
// dtypes: compare.policy.
Result<Comparison> Compare(const ConstTensorView& actual, const ConstTensorView& expected,
                           const ComparePolicy& policy, int threads = 0);

}  // namespace cacheon::tensor
