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

// "[3, 17]" for a row-major index.
std::string IndexText(std::int64_t index, std::span<const std::int64_t> shape) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(index % shape[i]) + (text.empty() ? "" : ", ") + text;
    index /= shape[i];
  }
  return "[" + text + "]";
}

std::int64_t ElementCountOf(const CallOutput& output) {
  return tensor::ElementCount(output.memory->view().shape()).value_or(0);
}

// NaNs of 16-bit formats have few payloads, so a candidate that computes NaN meets some of the
// poison by chance. Elements count as unwritten when most of what is not finite is the poison.
bool IsUnwritten(const CallOutput& output, const tensor::Comparison& comparison) {
  return output.seen.unwritten > 0 && output.seen.unwritten * 2 >= comparison.non_finite;
}

}  // namespace

void Decide(CaseVerdict& verdict, RunStatus status) {
  if (verdict.status == RunStatus::kPass) verdict.status = status;
}

void Refuse(CaseVerdict& verdict, Check check, std::unexpected<Error> reason, RunStatus status) {
  verdict.checks.Set(check, false);
  verdict.errors.push_back(std::move(reason).error());
  Decide(verdict, status);
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
           Fail("in.mutated", "the input was changed", {.key_path = input.memory.name()},
                "inputs are read-only; work on a copy"));
  }
}

void CheckComparison(std::span<const CallOutput> outputs, const PreparedCase& prepared,
                     const Grading& grading, PatternKind kind, CaseVerdict& verdict) {
  std::vector<tensor::ConstTensorView> actual;
  for (const CallOutput& output : outputs) actual.push_back(output.memory->view());
  std::vector<tensor::ConstTensorView> expected;
  for (const ExpectedTensor& one : prepared.expected) expected.emplace_back(one.view);
  Result<std::vector<slots::OutputGrade>> grades =
      slots::Grade(grading.slot, prepared.plan, actual, expected);
  if (!grades) {
    verdict.errors.push_back(std::move(grades.error()));
    Decide(verdict, RunStatus::kError);
    return;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    slots::OutputGrade& grade = (*grades)[i];
    const bool passed = grading.published_only ? grade.published.passed : grade.passed;
    if (kind == PatternKind::kNan || !passed) verdict.outputs[i].comparison = grade.published;
    if (passed) {
      verdict.checks.Set(Check::kComparison, true);
    } else if (kind == PatternKind::kFinite) {
      Refuse(verdict, Check::kCoverage,
             Fail("out.unwritten", "the result depends on what the output held before the call",
                  grade.failure->where,
                  "never read an output before it is written; += needs a fresh buffer"));
    } else if (IsUnwritten(outputs[i], grade.published)) {
      // CheckCoverage names the cause; the numbers stay in the document.
      verdict.checks.Set(Check::kComparison, false);
    } else {
      Refuse(verdict, Check::kComparison, Fail(std::move(*grade.failure)));
    }
  }
}

void CheckCoverage(std::span<const CallOutput> outputs, PatternKind kind, CaseVerdict& verdict) {
  if (kind == PatternKind::kFinite) return;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const CallOutput& output = outputs[i];
    verdict.outputs[i].unwritten = output.seen.unwritten;
    if (!IsUnwritten(output, verdict.outputs[i].comparison)) {
      verdict.checks.Set(Check::kCoverage, true);
      continue;
    }
    Refuse(verdict, Check::kCoverage,
           Fail("out.unwritten",
                fmt::format("{} of {} elements were not written, the first is {}",
                            output.seen.unwritten, ElementCountOf(output),
                            IndexText(output.seen.first_unwritten, output.memory->view().shape())),
                {.key_path = output.name()},
                "fill the output that is passed in; what the entry returns is not used"));
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
           Fail("async.late_write", "the output changed after the call had returned",
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
