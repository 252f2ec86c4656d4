// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/grading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/slots/acceptance.h"
#include "src/slots/overlap_acceptance.h"

namespace cacheon::slots {
namespace {

using tensor::Metric;

Place PlaceOf(std::string_view output, const std::optional<tensor::WorstElement>& worst) {
  if (!worst) return {.key_path = std::string(output)};
  return {.key_path = fmt::format("{}[{}]", output, fmt::join(worst->index, ", "))};
}

std::string Sentence(const tensor::Comparison& comparison) {
  if (!comparison.detail.empty()) return comparison.detail;
  return fmt::format("{} is {:.6g}, the slot needs {:.6g}", tensor::MetricName(comparison.metric),
                     comparison.score, comparison.threshold);
}

Error ErrorOf(std::unexpected<Error> failure) { return std::move(failure).error(); }

std::optional<Error> PublishedFailure(std::string_view output,
                                      const tensor::Comparison& comparison) {
  if (comparison.passed) return std::nullopt;
  const Place place = PlaceOf(output, comparison.worst);
  if (comparison.non_finite > 0) {
    return ErrorOf(Fail("cmp.nonfinite",
                        fmt::format("{} of {} elements are NaN or infinite where the reference is "
                                    "finite",
                                    comparison.non_finite, comparison.element_count),
                        place));
  }
  switch (comparison.metric) {
    case Metric::kAllClose:
    case Metric::kMatchedRatio:
      return ErrorOf(Fail("cmp.ratio", Sentence(comparison), place));
    case Metric::kCosine:
      return ErrorOf(Fail("cmp.cosine", Sentence(comparison), place));
    case Metric::kTopKOverlapScores:
    case Metric::kTopKOverlapIndices:
      return ErrorOf(Fail("cmp.overlap", Sentence(comparison), place));
  }
  std::unreachable();
}

std::optional<Error> StructuredFailure(std::string_view output, const Contract& contract,
                                       const Acceptance& acceptance) {
  if (acceptance.passed) return std::nullopt;
  const AcceptanceRule& rule = contract.acceptance;
  const Place place = PlaceOf(output, acceptance.worst);
  if (acceptance.outliers > 0 && contract.policy.metric == Metric::kTopKOverlapIndices) {
    return ErrorOf(Fail(
        "cmp.index",
        fmt::format("{} ids are no visible block or stand twice in their row", acceptance.outliers),
        place));
  }
  if (acceptance.outliers > 0) {
    return ErrorOf(
        Fail("cmp.outlier",
             fmt::format("{} elements are further off than {:g} slacks, the worst {:.3g} slacks",
                         acceptance.outliers, rule.max_slacks, acceptance.worst_margin),
             place));
  }
  return ErrorOf(Fail(
      "cmp.group",
      fmt::format("{} of {} rows are wrong on their own; in the worst row {:.4g} of "
                  "the elements lie within the slack ({:g} are needed), the "
                  "largest row error is {:.3g} of what is allowed",
                  acceptance.failed_groups, acceptance.group_count, acceptance.worst_group_share,
                  rule.min_group_share, acceptance.worst_group_l2),
      place));
}

struct Operands {
  const tensor::ConstTensorView& actual;
  const tensor::ConstTensorView& expected;
  const tensor::ConstTensorView* scores;  // the evidence behind chosen ids, when there is any
};

Result<Acceptance> Structured(const Contract& contract, const CallPlan& plan,
                              const Operands& operands) {
  const AcceptanceRule& rule = contract.acceptance;
  const SlackScale scale = SlackScaleOf(rule, plan.call_dtype);
  switch (contract.policy.metric) {
    case Metric::kAllClose:
    case Metric::kMatchedRatio:
    case Metric::kCosine:
      return Accept(rule, scale, operands.actual, operands.expected);
    case Metric::kTopKOverlapScores:
      return AcceptScores(rule, scale, contract.policy.top_k, operands.actual, operands.expected);
    case Metric::kTopKOverlapIndices:
      if (operands.scores == nullptr) return Acceptance{};
      return AcceptIndices(rule, scale, operands.actual, operands.expected, *operands.scores);
  }
  std::unreachable();
}

Result<OutputGrade> GradeOutput(const Contract& contract, const CallPlan& plan,
                                const PlannedTensor& output, const Operands& operands) {
  tensor::ComparePolicy policy = contract.policy;
  const Tolerance tolerance = ToleranceFor(plan.call_dtype);
  policy.atol = tolerance.atol;
  policy.rtol = tolerance.rtol;
  OutputGrade grade{.name = output.name};
  ASSIGN_OR_RETURN(grade.published, tensor::Compare(operands.actual, operands.expected, policy));
  Result<Acceptance> structured = Structured(contract, plan, operands);
  if (!structured) return Fail(std::move(structured).error().At({.key_path = output.name}));
  grade.structured = *std::move(structured);
  grade.failure = PublishedFailure(output.name, grade.published);
  if (!grade.failure) {
    grade.failure = StructuredFailure(output.name, contract, grade.structured);
  }
  grade.passed = !grade.failure;
  return grade;
}

std::int64_t CountOutputs(const CallPlan& plan) {
  return std::ranges::count_if(plan.arguments, [](const PlannedArgument& argument) {
    const auto* planned = std::get_if<PlannedTensor>(&argument);
    return planned != nullptr && planned->role == Role::kOutput;
  });
}

}  // namespace

Result<std::vector<OutputGrade>> Grade(const Slot& slot, const CallPlan& plan,
                                       std::span<const tensor::ConstTensorView> actual,
                                       std::span<const tensor::ConstTensorView> expected) {
  const auto outputs = static_cast<std::size_t>(CountOutputs(plan));
  CACHEON_CHECK(actual.size() >= outputs && expected.size() >= outputs,
                "the caller grades every output of the plan");
  const tensor::ConstTensorView* scores =
      !plan.evidence.empty() && expected.size() > outputs ? &expected[outputs] : nullptr;
  std::vector<OutputGrade> grades;
  for (const PlannedArgument& argument : plan.arguments) {
    const auto* output = std::get_if<PlannedTensor>(&argument);
    if (output == nullptr || output->role != Role::kOutput) continue;
    const std::size_t index = grades.size();
    ASSIGN_OR_RETURN(OutputGrade grade, GradeOutput(slot.contract(), plan, *output,
                                                    {actual[index], expected[index], scores}));
    grades.push_back(std::move(grade));
  }
  return grades;
}

}  // namespace cacheon::slots
