// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/audit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "cacheon/slots/grading.h"
#include "src/slots/call_storage.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;
using tensor::TensorView;

constexpr std::array kCallDTypes = {DType::kFloat32, DType::kBFloat16, DType::kFloat16};

std::int64_t InputElements(const CallPlan& plan) {
  std::int64_t count = 0;
  for (const auto* arguments : {&plan.prepare_arguments, &plan.arguments}) {
    for (const PlannedArgument& argument : *arguments) {
      const auto* planned = std::get_if<PlannedTensor>(&argument);
      if (planned == nullptr) continue;
      count += tensor::SpanElements(planned->layout).value_or(0);
    }
  }
  return count;
}

std::size_t SpanBytes(const TensorView& view) {
  return static_cast<std::size_t>(tensor::SpanElements(view.layout).value_or(0)) *
         tensor::ItemSize(view.dtype);
}

bool IsEmpty(const CallPlan& plan) {
  return std::ranges::any_of(plan.arguments, [](const PlannedArgument& argument) {
    const auto* planned = std::get_if<PlannedTensor>(&argument);
    return planned != nullptr && planned->role == Role::kOutput &&
           tensor::ElementCount(planned->layout.shape).value_or(0) == 0;
  });
}

// The code of the first failure; empty when every output passes.
Result<std::string> FailureOf(const Slot& slot, const JudgedCall& call) {
  ASSIGN_OR_RETURN(
      const std::vector<OutputGrade> grades,
      Grade(slot, call.plan, call.storage.const_outputs(), call.storage.const_expected()));
  for (const OutputGrade& grade : grades) {
    if (grade.failure) return std::string(grade.failure->code.text());
  }
  return std::string();
}

// Calls `visit(dtype, index of the case, call)` for every case that is small enough.
template <typename Visit>
Status ForEachCall(const Slot& slot, const AuditOptions& options, Visit visit) {
  std::vector<Case> cases = slot.PublishedCases();
  std::ranges::move(slot.OurCases(), std::back_inserter(cases));
  for (const DType dtype : kCallDTypes) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSIGN_OR_RETURN(const CallPlan plan, slot.Plan(cases[i], dtype, options.seed + i));
      if (InputElements(plan) > options.max_elements) continue;
      ASSIGN_OR_RETURN(JudgedCall call, MakeJudgedCall(slot, cases[i], dtype, options.seed + i));
      RETURN_IF_ERROR(visit(dtype, i, call));
    }
  }
  return {};
}

bool AlreadyKilled(const SubjectAudit& audit, DType dtype) {
  return std::ranges::find(audit.kills, dtype, &Kill::dtype) != audit.kills.end();
}

Status RunSubject(const Slot& slot, const Subject& subject, const Kill& where, JudgedCall& call,
                  SubjectAudit& audit) {
  call.storage.Poison();
  subject.run(call.plan, call.storage.inputs(), call.storage.outputs());
  ASSIGN_OR_RETURN(std::string code, FailureOf(slot, call));
  ++audit.runs;
  const bool killed = !code.empty();
  const Kill kill{.dtype = where.dtype, .case_index = where.case_index, .code = std::move(code)};
  const bool right_by_contract =
      IsEmpty(call.plan) || (subject.exempt && subject.exempt(call.plan));
  if (killed) audit.kills.push_back(kill);
  const bool honest_killed = killed && subject.expectation == Expectation::kSurvives;
  const bool trivial_passed =
      !killed && subject.expectation == Expectation::kKilledAlways && !right_by_contract;
  if (honest_killed || trivial_passed) audit.unexpected.push_back(kill);
  return {};
}

// `storage.expected()` before a change and after it, compared as if the second were an output.
Result<bool> ReferenceMoves(const Slot& slot, const CallPlan& changed, JudgedCall& call) {
  const CallPlan& plan = call.plan;
  ASSIGN_OR_RETURN(CallStorage other, CallStorage::Create(plan));
  slot.Reference(changed, call.storage.inputs(), other.expected());
  ASSIGN_OR_RETURN(const std::vector<OutputGrade> grades,
                   Grade(slot, plan, other.const_expected(), call.storage.const_expected()));
  return std::ranges::any_of(grades, [](const OutputGrade& grade) { return !grade.passed; });
}

constexpr double kScalarChange = 1.25;

// Changes every element of a floating input by half its size, up and down in turn, in place. A
// change of all by the same factor would cancel in norms and choices.
void Change(const ConstTensorView& view) {
  tensor::ForEachRun(view.layout, [&](std::int64_t offset, std::int64_t count, std::int64_t) {
    const auto item = static_cast<std::int64_t>(tensor::ItemSize(view.dtype));
    // The storage of a judged call is ours and writable.
    auto* begin = const_cast<std::byte*>(view.data + offset * item);
    std::vector<float> values(static_cast<std::size_t>(count));
    tensor::WidenToFloat(view.dtype, begin, values);
    constexpr std::array<float, 3> kFactors = {1.5F, 0.5F, 1.25F};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= kFactors[i % kFactors.size()];
    tensor::NarrowFromFloat(view.dtype, values, begin);
  });
}

// The names of a plan's input tensors, in the order of CallStorage::inputs.
std::vector<const PlannedTensor*> InputsOf(const CallPlan& plan) {
  std::vector<const PlannedTensor*> inputs;
  for (const auto* arguments : {&plan.prepare_arguments, &plan.arguments}) {
    for (const PlannedArgument& argument : *arguments) {
      const auto* planned = std::get_if<PlannedTensor>(&argument);
      if (planned != nullptr && planned->role == Role::kInput) inputs.push_back(planned);
    }
  }
  return inputs;
}

Status TryTensors(const Slot& slot, JudgedCall& call, std::set<std::string>& insensitive) {
  const std::vector<const PlannedTensor*> inputs = InputsOf(call.plan);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!tensor::IsFloating(inputs[i]->dtype) || !insensitive.contains(inputs[i]->name)) continue;
    const ConstTensorView& view = call.storage.inputs()[i];
    std::vector<std::byte> kept(
        static_cast<std::size_t>(tensor::SpanElements(view.layout).value_or(0)) *
        tensor::ItemSize(view.dtype));
    std::copy_n(view.data, kept.size(), kept.begin());
    Change(view);
    ASSIGN_OR_RETURN(const bool moves, ReferenceMoves(slot, call.plan, call));
    std::ranges::copy(kept, const_cast<std::byte*>(view.data));
    if (moves) insensitive.erase(inputs[i]->name);
  }
  return {};
}

Status TryScalars(const Slot& slot, JudgedCall& call, std::set<std::string>& insensitive) {
  for (std::size_t i = 0; i < call.plan.arguments.size(); ++i) {
    const auto* scalar = std::get_if<PlannedScalar>(&call.plan.arguments[i]);
    if (scalar == nullptr || !insensitive.contains(scalar->name)) continue;
    CallPlan changed = call.plan;
    auto& value = std::get<PlannedScalar>(changed.arguments[i]).value;
    if (auto* number = std::get_if<double>(&value)) *number *= kScalarChange;
    if (auto* flag = std::get_if<bool>(&value)) *flag = !*flag;
    ASSIGN_OR_RETURN(const bool moves, ReferenceMoves(slot, changed, call));
    if (moves) insensitive.erase(scalar->name);
  }
  return {};
}

}  // namespace

Result<std::vector<SubjectAudit>> AuditSubjects(const Slot& slot, std::span<const Subject> subjects,
                                                const AuditOptions& options) {
  std::vector<SubjectAudit> audits;
  for (const Subject& subject : subjects)
    audits.push_back({.name = subject.name, .kills = {}, .unexpected = {}});
  Status done =
      ForEachCall(slot, options, [&](DType dtype, std::size_t index, JudgedCall& call) -> Status {
        for (std::size_t i = 0; i < subjects.size(); ++i) {
          const bool settled = !options.full && subjects[i].expectation == Expectation::kKilled &&
                               AlreadyKilled(audits[i], dtype);
          if (settled) continue;
          RETURN_IF_ERROR(RunSubject(slot, subjects[i],
                                     {.dtype = dtype, .case_index = index, .code = {}}, call,
                                     audits[i]));
        }
        return {};
      });
  RETURN_IF_ERROR(std::move(done));
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const bool killed_in_all = std::ranges::all_of(
        kCallDTypes, [&](DType dtype) { return AlreadyKilled(audits[i], dtype); });
    audits[i].as_expected = audits[i].runs > 0 && audits[i].unexpected.empty() &&
                            (subjects[i].expectation == Expectation::kSurvives || killed_in_all);
  }
  return audits;
}

std::vector<Subject> TrivialKernels(const Slot& slot) {
  const auto zeros = [](const CallPlan&, std::span<const ConstTensorView>,
                        std::span<const TensorView> outputs) {
    for (const TensorView& out : outputs) std::memset(out.data, 0, SpanBytes(out));
  };
  const auto first_row = [&slot](const CallPlan& plan, std::span<const ConstTensorView> inputs,
                                 std::span<const TensorView> outputs) {
    std::vector<std::vector<float>> right;
    std::vector<TensorView> views;
    for (const TensorView& out : outputs) {
      const auto count = tensor::ElementCount(out.shape()).value_or(0);
      auto& values = right.emplace_back(static_cast<std::size_t>(count));
      views.push_back({reinterpret_cast<std::byte*>(values.data()),
                       tensor::IsFloating(out.dtype) ? DType::kFloat32 : DType::kInt32,
                       out.layout});
    }
    slot.Reference(plan, inputs, views);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto width =
          static_cast<std::ptrdiff_t>(outputs[i].shape().empty() ? 1 : outputs[i].shape().back());
      for (auto row = right[i].begin(); row < right[i].end(); row += width) {
        std::copy_n(right[i].begin(), width, row);
      }
      if (views[i].dtype == DType::kFloat32) {
        tensor::NarrowFromFloat(outputs[i].dtype, right[i], outputs[i].data);
      } else {
        std::memcpy(outputs[i].data, right[i].data(), right[i].size() * sizeof(std::int32_t));
      }
    }
  };
  const auto one_row = [](const CallPlan& plan) {
    for (const PlannedArgument& argument : plan.arguments) {
      const auto* planned = std::get_if<PlannedTensor>(&argument);
      if (planned == nullptr || planned->role != Role::kOutput) continue;
      const auto& shape = planned->layout.shape;
      return tensor::ElementCount(shape).value_or(0) == (shape.empty() ? 1 : shape.back());
    }
    return false;
  };
  const auto nothing = [](const CallPlan&, std::span<const ConstTensorView>,
                          std::span<const TensorView>) {};
  return {{.name = "no-op",
           .fault = "writes nothing",
           .expectation = Expectation::kKilledAlways,
           .run = nothing},
          {.name = "zeros",
           .fault = "writes zeros",
           .expectation = Expectation::kKilledAlways,
           .run = zeros},
          {.name = "first-row",
           .fault = "the first row of the answer in every row",
           .expectation = Expectation::kKilledAlways,
           .run = first_row,
           .exempt = one_row}};
}

Result<std::vector<std::string>> InsensitiveArguments(const Slot& slot,
                                                      const AuditOptions& options) {
  std::set<std::string> insensitive;
  bool started = false;
  // A choice depends on the order of scores alone, which no positive factor changes.
  const tensor::Metric metric = slot.contract().policy.metric;
  const bool chooses =
      metric == tensor::Metric::kTopKOverlapIndices || metric == tensor::Metric::kTopKOverlapScores;
  Status done = ForEachCall(
      slot, options, [&](DType dtype, std::size_t /*index*/, JudgedCall& call) -> Status {
        if (dtype != DType::kFloat32) return {};
        if (!std::exchange(started, true)) {
          for (const PlannedTensor* input : InputsOf(call.plan)) {
            if (tensor::IsFloating(input->dtype)) insensitive.insert(input->name);
          }
          for (const PlannedArgument& argument : call.plan.arguments) {
            const auto* scalar = std::get_if<PlannedScalar>(&argument);
            const bool whole =
                scalar != nullptr && std::holds_alternative<std::int64_t>(scalar->value);
            if (scalar != nullptr && !whole && !chooses) insensitive.insert(scalar->name);
          }
        }
        if (IsEmpty(call.plan)) return {};
        RETURN_IF_ERROR(TryTensors(slot, call, insensitive));
        return TryScalars(slot, call, insensitive);
      });
  RETURN_IF_ERROR(std::move(done));
  return std::vector<std::string>(insensitive.begin(), insensitive.end());
}

}  // namespace cacheon::slots
