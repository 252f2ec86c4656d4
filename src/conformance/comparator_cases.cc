// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// slots/comparators.json: the published comparators.

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cacheon/tensor/compare.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/case_tensors.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using tensor::Comparison;
using tensor::Metric;

constexpr double kTolerance = 1e-6;
constexpr std::string_view kIndexVerdict = "passed_at_0.9";
constexpr double kIndexOverlap = 0.9;

double NumberOf(const Json& object, std::string_view key) {
  const Json& value = FieldOf(object, key);
  return value.is_number() ? value.as_double() : 0;
}

std::optional<Metric> MetricOf(const Json& the_case) {
  for (const Metric metric : {Metric::kAllClose, Metric::kMatchedRatio, Metric::kCosine,
                              Metric::kTopKOverlapScores, Metric::kTopKOverlapIndices}) {
    if (tensor::MetricName(metric) == TextOf(the_case, "mode")) return metric;
  }
  return std::nullopt;
}

tensor::ComparePolicy PolicyOf(const Json& the_case, Metric metric) {
  tensor::ComparePolicy policy{.metric = metric,
                               .atol = NumberOf(the_case, "atol"),
                               .rtol = NumberOf(the_case, "rtol"),
                               .min_ratio = NumberOf(the_case, "min_ratio"),
                               .min_cosine = NumberOf(the_case, "min_cosine"),
                               .min_overlap = NumberOf(the_case, "min_overlap"),
                               .top_k = static_cast<std::int64_t>(NumberOf(the_case, "top_k"))};
  if (metric == Metric::kTopKOverlapIndices) policy.min_overlap = kIndexOverlap;
  return policy;
}

// Our value of a compared field; null for prose.
Json ValueOf(const Comparison& comparison, std::string_view field) {
  if (field == "passed" || field == kIndexVerdict) return comparison.passed;
  if (field == "ratio" || field == "cosine" || field == "score") return comparison.score;
  if (field == "rel_norm") return comparison.rel_norm;
  if (field == "padding_violation") return comparison.padding_violation;
  if (field == "finite") return comparison.non_finite + comparison.non_finite_expected == 0;
  return {};
}

bool Agree(const Json& expected, const Json& got) {
  if (!expected.is_number() || !got.is_number()) return expected == got;
  return std::fabs(expected.as_double() - got.as_double()) <= kTolerance;
}

CaseResult CompareFields(std::string name, const Json& recorded, const Comparison& comparison) {
  if (!recorded.is_object()) return Differs(std::move(name), "a result", "no result to compare");
  for (const auto& [field, expected] : recorded.as_object()) {
    if (field == "reason") continue;
    const Json got = ValueOf(comparison, field);
    if (!Agree(expected, got)) {
      return Differs(std::move(name), fmt::format("{} {}", field, DocumentJson(expected)),
                     fmt::format("{} {}", field, DocumentJson(got)));
    }
  }
  return Agrees(std::move(name));
}

CaseResult RunCase(const Json& the_case, std::string name) {
  const std::optional<Metric> metric = MetricOf(the_case);
  if (!metric) return Differs(std::move(name), TextOf(the_case, "mode"), "no such comparator");
  const auto read = *metric == Metric::kTopKOverlapIndices ? CaseTensor::Rows : CaseTensor::Floats;
  const CaseTensor actual = read(FieldOf(the_case, "actual"));
  const CaseTensor expected = read(FieldOf(the_case, "expected"));
  const Result<Comparison> comparison =
      tensor::Compare(actual.view(), expected.view(), PolicyOf(the_case, *metric));
  if (!comparison) {
    return Differs(std::move(name), "a comparison", FormatError(comparison.error()));
  }
  return CompareFields(std::move(name), FieldOf(the_case, "result"), *comparison);
}

}  // namespace

Cases RunComparators(const Json& document) {
  if (FieldOf(document, "cases").is_null()) {
    return Fail("conformance.form", "the file has no list of cases", {.key_path = "cases"});
  }
  std::vector<CaseResult> results;
  for (const Json& the_case : ItemsOf(document, "cases")) {
    results.push_back(RunCase(the_case, TextOf(the_case, "name")));
  }
  return results;
}

}  // namespace cacheon::conformance
