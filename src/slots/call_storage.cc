// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/call_storage.h"

#include <algorithm>
#include <utility>

#include "cacheon/core/parallel.h"
#include "cacheon/slots/input_values.h"
#include "cacheon/tensor/layout.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

// NaN in every floating format, a large number in the integer ones.
constexpr std::byte kPoison{0x7F};
constexpr std::byte kFloatPoison{0xFF};
constexpr std::int64_t kElementsPerBlock = std::int64_t{1} << 16;

std::byte PoisonOf(DType dtype) { return tensor::IsFloating(dtype) ? kFloatPoison : kPoison; }

// Fills the runs of a view with the input's values.
void FillInput(const PlannedTensor& planned, const tensor::TensorView& view) {
  const auto item_size = static_cast<std::int64_t>(tensor::ItemSize(planned.dtype));
  tensor::ForEachRun(
      planned.layout, [&](std::int64_t offset, std::int64_t count, std::int64_t first) {
        ParallelFor(count, kElementsPerBlock, [&](std::int64_t begin, std::int64_t end) {
          WriteInputValues(planned, first + begin, end - begin,
                           view.data + (offset + begin) * item_size);
        });
      });
}

std::vector<tensor::ConstTensorView> ConstViews(std::span<const tensor::TensorView> views) {
  return {views.begin(), views.end()};
}

}  // namespace

Result<CallStorage> CallStorage::Create(const CallPlan& plan) {
  CallStorage storage;
  for (const auto* arguments : {&plan.prepare_arguments, &plan.arguments}) {
    for (const PlannedArgument& argument : *arguments) {
      if (const auto* planned = std::get_if<PlannedTensor>(&argument)) {
        RETURN_IF_ERROR(storage.Add(*planned));
      }
    }
  }
  for (const PlannedTensor& evidence : plan.evidence) {
    RETURN_IF_ERROR(storage.AddExpected(evidence));
  }
  storage.Poison();
  return storage;
}

std::byte* CallStorage::Allocate(std::size_t bytes) {
  return blocks_.emplace_back(std::max<std::size_t>(bytes, 1)).data();
}

Status CallStorage::Add(const PlannedTensor& planned) {
  return planned.role == Role::kOutput ? AddOutput(planned) : AddInput(planned);
}

Status CallStorage::AddInput(const PlannedTensor& planned) {
  ASSIGN_OR_RETURN(const std::int64_t span, tensor::SpanElements(planned.layout));
  const std::size_t item_size = tensor::ItemSize(planned.dtype);
  const std::size_t offset = static_cast<std::size_t>(planned.offset_elements) * item_size;
  std::byte* data = Allocate(offset + static_cast<std::size_t>(span) * item_size);
  std::ranges::fill(blocks_.back(), PoisonOf(planned.dtype));
  const tensor::TensorView view{data + offset, planned.dtype, planned.layout};
  FillInput(planned, view);
  inputs_.push_back(view);
  return {};
}

Status CallStorage::AddOutput(const PlannedTensor& planned) {
  ASSIGN_OR_RETURN(const std::int64_t span, tensor::SpanElements(planned.layout));
  outputs_.push_back({Allocate(static_cast<std::size_t>(span) * tensor::ItemSize(planned.dtype)),
                      planned.dtype, planned.layout});
  return AddExpected(planned);
}

Status CallStorage::AddExpected(const PlannedTensor& planned) {
  ASSIGN_OR_RETURN(tensor::Layout dense, tensor::DenseLayout(planned.layout.shape));
  ASSIGN_OR_RETURN(const std::int64_t count, tensor::ElementCount(dense.shape));
  const DType dtype = tensor::IsFloating(planned.dtype) ? DType::kFloat32 : DType::kInt32;
  expected_.push_back({Allocate(static_cast<std::size_t>(count) * tensor::ItemSize(dtype)), dtype,
                       std::move(dense)});
  return {};
}

void CallStorage::Poison() {
  for (const tensor::TensorView& view : outputs_) {
    const auto span = tensor::SpanElements(view.layout);
    CACHEON_CHECK(span.has_value(), "checked when the storage was made");
    std::fill_n(view.data, static_cast<std::size_t>(*span) * tensor::ItemSize(view.dtype),
                PoisonOf(view.dtype));
  }
}

std::vector<tensor::ConstTensorView> CallStorage::const_outputs() const {
  return ConstViews(outputs_);
}

std::vector<tensor::ConstTensorView> CallStorage::const_expected() const {
  return ConstViews(expected_);
}

Result<JudgedCall> MakeJudgedCall(const Slot& slot, const Case& the_case, tensor::DType call_dtype,
                                  std::uint64_t seed) {
  ASSIGN_OR_RETURN(CallPlan plan, slot.Plan(the_case, call_dtype, seed));
  ASSIGN_OR_RETURN(CallStorage storage, CallStorage::Create(plan));
  slot.Reference(plan, storage.inputs(), storage.expected());
  return JudgedCall{.plan = std::move(plan), .storage = std::move(storage)};
}

}  // namespace cacheon::slots
