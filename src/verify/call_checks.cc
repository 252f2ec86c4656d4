// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/call_checks.h"

#include <fmt/format.h>

#include <string>
#include <thread>
#include <utility>

#include "src/verify/fingerprint.h"

namespace cacheon::verify {
namespace {

using tensor::Comparison;
using tensor::Metric;

// "[3, 17]" for a row-major index.
std::string IndexText(std::int64_t index, std::span<const std::int64_t> shape) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(index % shape[i]) + (text.empty() ? "" : ", ") + text;
    index /= shape[i];
  }
  return "[" + text + "]";
}

std::string WorstText(const Comparison& comparison) {
  if (!comparison.worst) return "";
  return fmt::format("; worst element [{}]: expected {:.9g}, got {:.9g}",
                     fmt::join(comparison.worst->index, ", "), comparison.worst->expected,
                     comparison.worst->actual);
}

std::unexpected<Error> ComparisonError(const std::string& name, const Comparison& comparison,
                                       const tensor::ComparePolicy& policy) {
  const Place place{.key_path = name};
  if (comparison.non_finite > 0 && comparison.metric != Metric::kTopKOverlapIndices) {
    return Fail("cmp.nonfinite",
                fmt::format("{} of {} elements of `{}` are not finite{}", comparison.non_finite,
                            comparison.element_count, name, WorstText(comparison)),
                place);
  }
  switch (comparison.metric) {
    case Metric::kAllClose:
    case Metric::kMatchedRatio:
      return Fail(
          "cmp.ratio",
          fmt::format("{} of {} elements of `{}` are outside |a - e| <= {:g} + {:g} |e|, at "
                      "least {:g} of them must be within{}",
                      comparison.outside, comparison.element_count, name, policy.atol, policy.rtol,
                      comparison.threshold, WorstText(comparison)),
          place);
    case Metric::kCosine:
      return Fail("cmp.cosine",
                  fmt::format("the cosine of `{}` with the reference is {:.6f}, at least {:g} is "
                              "needed{}",
                              name, comparison.score, comparison.threshold, WorstText(comparison)),
                  place);
    case Metric::kTopKOverlapScores:
    case Metric::kTopKOverlapIndices:
      break;
  }
  return Fail("cmp.overlap",
              fmt::format("`{}` selects {:.4f} of the blocks that the reference selects, at least "
                          "{:g} is needed{}{}",
                          name, comparison.score, comparison.threshold,
                          comparison.detail.empty() ? "" : ": ", comparison.detail),
              place);
}

}  // namespace

void Refuse(CaseVerdict& verdict, Check check, std::unexpected<Error> reason) {
  verdict.checks.Set(check, false);
  verdict.errors.push_back(std::move(reason).error());
  verdict.status = RunStatus::kFail;
}

void CheckGuards(std::span<const CallOutput> outputs, CaseVerdict& verdict) {
  for (const CallOutput& output : outputs) {
    if (output.seen.changed_guard_bytes == 0) {
      verdict.checks.Set(Check::kGuards, true);
      continue;
    }
    Refuse(verdict, Check::kGuards,
           Fail("mem.oob_write",
                fmt::format(
                    "{} bytes beside the elements of `{}` were written, the first at byte {} "
                    "from its first element",
                    output.seen.changed_guard_bytes, output.name(), output.seen.first_changed_byte),
                {.key_path = output.name()},
                "write through the output's own shape and strides; its rows may be padded"));
  }
}

void CheckInputs(std::span<const InputMemory> inputs, std::uint64_t key, CaseVerdict& verdict) {
  for (const InputMemory& input : inputs) {
    if (Fingerprint(input.memory.bytes(), key) == input.fingerprint) {
      verdict.checks.Set(Check::kInputs, true);
      continue;
    }
    Refuse(verdict, Check::kInputs,
           Fail("in.mutated", fmt::format("input `{}` was changed", input.memory.name()),
                {.key_path = input.memory.name()}, "inputs are read-only; work on a copy"));
  }
}

void CheckCoverage(std::span<const CallOutput> outputs, PatternKind kind, CaseVerdict& verdict) {
  if (kind == PatternKind::kFinite) return;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const CallOutput& output = outputs[i];
    verdict.outputs[i].unwritten = output.seen.unwritten;
    if (output.seen.unwritten == 0) {
      verdict.checks.Set(Check::kCoverage, true);
      continue;
    }
    Refuse(verdict, Check::kCoverage,
           Fail("out.unwritten",
                fmt::format("{} of {} elements of `{}` were not written, the first is {}",
                            output.seen.unwritten, verdict.outputs[i].comparison.element_count,
                            output.name(),
                            IndexText(output.seen.first_unwritten, output.memory->view().shape())),
                {.key_path = output.name()},
                "fill the output that is passed in; what the entry returns is not used"));
  }
}

void CheckComparison(std::span<const CallOutput> outputs, std::span<const ExpectedTensor> expected,
                     const tensor::ComparePolicy& policy, PatternKind kind, CaseVerdict& verdict) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Result<Comparison> compared =
        tensor::Compare(outputs[i].memory->view(), expected[i].view, policy);
    if (!compared) {
      verdict.errors.push_back(std::move(compared.error()));
      verdict.status = RunStatus::kError;
      return;
    }
    const bool passed = compared->passed;
    if (kind == PatternKind::kNan || !passed) verdict.outputs[i].comparison = *compared;
    if (passed) {
      verdict.checks.Set(Check::kComparison, true);
    } else if (kind == PatternKind::kFinite) {
      Refuse(verdict, Check::kCoverage,
             Fail("out.unwritten",
                  fmt::format("`{}` depends on what it held before the call{}", outputs[i].name(),
                              WorstText(*compared)),
                  {.key_path = outputs[i].name()},
                  "never read an output before it is written; += needs a fresh buffer"));
    } else if (outputs[i].seen.unwritten > 0) {
      // The cause is named by the coverage check; the numbers stay in the document.
      verdict.checks.Set(Check::kComparison, false);
    } else {
      Refuse(verdict, Check::kComparison, ComparisonError(outputs[i].name(), *compared, policy));
    }
  }
}

void CheckSettled(std::span<const CallOutput> outputs, std::uint64_t key,
                  std::chrono::steady_clock::time_point returned, CaseVerdict& verdict) {
  std::this_thread::sleep_until(returned + kSettleInterval);
  for (const CallOutput& output : outputs) {
    if (output.memory->Fingerprint(key) == output.fingerprint) {
      verdict.checks.Set(Check::kSettled, true);
      continue;
    }
    Refuse(verdict, Check::kSettled,
           Fail("async.late_write",
                fmt::format("`{}` changed after the call had returned", output.name()),
                {.key_path = output.name()}, "finish all work before the entry returns"));
  }
}

void CheckCensus(int threads_before, int threads_after, CaseVerdict& verdict) {
  if (threads_after <= threads_before) {
    verdict.checks.Set(Check::kEnvironment, true);
    return;
  }
  Refuse(verdict, Check::kEnvironment,
         Fail("cand.thread_leak",
              fmt::format("{} threads ran after the call, {} before it", threads_after,
                          threads_before),
              {}, "join every thread that the entry starts before it returns"));
}

}  // namespace cacheon::verify
