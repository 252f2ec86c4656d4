// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/case_memory.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

#include "cacheon/core/parallel.h"
#include "src/verify/fingerprint.h"
#include "src/verify/first_error.h"
#include "src/verify/pattern.h"

namespace cacheon::verify {
namespace {

using slots::PlannedTensor;
using tensor::DType;

// Small enough for the second-level cache together with its source.
constexpr std::int64_t kBlockBytes = std::int64_t{256} << 10;

// Elements [first, first + count) of an input in its own dtype.
void MakeElements(const PlannedTensor& planned, std::int64_t first, std::span<std::byte> out) {
  const std::size_t count = out.size() / tensor::ItemSize(planned.dtype);
  if (const auto* floats = std::get_if<slots::FloatSource>(&planned.source)) {
    thread_local std::vector<float> values;
    values.resize(count);
    (*floats)(first, values);
    tensor::NarrowFromFloat(planned.dtype, values, out.data());
    return;
  }
  const auto& integers = std::get<slots::IntSource>(planned.source);
  thread_local std::vector<std::int64_t> values;
  values.resize(count);
  integers(first, values);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(out.data() + i * tensor::ItemSize(planned.dtype), &values[i],
                tensor::ItemSize(planned.dtype));  // little-endian truncation
  }
}

// A dense input: blocks go straight to their place; only the slack around them needs the pattern.
Status FillDense(const PlannedTensor& planned, worker::TensorMemory& memory,
                 std::int64_t elements) {
  const auto item = static_cast<std::int64_t>(tensor::ItemSize(planned.dtype));
  FirstError first_error;
  ParallelFor(elements, kBlockBytes / item, [&](std::int64_t begin, std::int64_t end) {
    thread_local std::vector<std::byte> block;
    block.resize(static_cast<std::size_t>((end - begin) * item));
    MakeElements(planned, begin, block);
    first_error.Add(
        memory.Write(memory.element_begin_byte() + static_cast<std::size_t>(begin * item), block));
  });
  return first_error.Take();
}

Status FillSlack(worker::TensorMemory& memory, const Pattern& pattern, std::size_t used_bytes) {
  const std::size_t total = memory.bytes().size();
  const std::size_t begin = memory.element_begin_byte();
  const auto write = [&](std::size_t from, std::size_t to) -> Status {
    if (from >= to) return {};
    const std::size_t aligned = from / 16 * 16;
    std::vector<std::byte> block(to - aligned);
    pattern.Generate(aligned, block);
    return memory.Write(from, std::span(block).subspan(from - aligned));
  };
  RETURN_IF_ERROR(write(0, begin));
  return write(begin + used_bytes, total);
}

Status FillRuns(const PlannedTensor& planned, worker::TensorMemory& memory) {
  const std::size_t item = tensor::ItemSize(planned.dtype);
  Status status;
  std::vector<std::byte> run;
  tensor::ForEachRun(
      planned.layout, [&](std::int64_t offset, std::int64_t count, std::int64_t first) {
        if (!status) return;
        run.resize(static_cast<std::size_t>(count) * item);
        MakeElements(planned, first, run);
        status = memory.Write(memory.element_begin_byte() + static_cast<std::size_t>(offset) * item,
                              run);
      });
  return status;
}

Result<InputMemory> MakeInput(const PlannedTensor& planned, Secrets& secrets) {
  ASSIGN_OR_RETURN(
      worker::TensorMemory memory,
      worker::TensorMemory::Create(planned.name, planned.dtype, planned.layout,
                                   planned.offset_elements, worker::GuardSide::kAfter));
  // What lies beside the elements is NaN: a kernel that reads there shows it in its result.
  const Pattern pattern(PatternKind::kNan, planned.dtype, secrets.key(), secrets.NextStream());
  ASSIGN_OR_RETURN(const std::int64_t elements, tensor::ElementCount(planned.layout.shape));
  if (tensor::IsDense(planned.layout)) {
    RETURN_IF_ERROR(FillDense(planned, memory, elements));
    RETURN_IF_ERROR(FillSlack(
        memory, pattern, static_cast<std::size_t>(elements) * tensor::ItemSize(planned.dtype)));
  } else {
    RETURN_IF_ERROR(pattern.Fill(memory));
    RETURN_IF_ERROR(FillRuns(planned, memory));
  }
  RETURN_IF_ERROR(memory.Seal());
  const std::uint64_t fingerprint = Fingerprint(memory.bytes(), secrets.key());
  return InputMemory{.memory = std::move(memory), .fingerprint = fingerprint};
}

Result<ExpectedTensor> MakeExpected(const PlannedTensor& planned) {
  const DType dtype = tensor::IsFloating(planned.dtype) ? DType::kFloat32 : DType::kInt32;
  ASSIGN_OR_RETURN(tensor::Layout layout, tensor::DenseLayout(planned.layout.shape));
  ASSIGN_OR_RETURN(const std::int64_t elements, tensor::ElementCount(layout.shape));
  ExpectedTensor expected;
  expected.storage = std::make_unique_for_overwrite<std::byte[]>(
      std::max<std::size_t>(static_cast<std::size_t>(elements) * tensor::ItemSize(dtype), 1));
  expected.view = {.data = expected.storage.get(), .dtype = dtype, .layout = std::move(layout)};
  return expected;
}

template <typename Visit>
void ForEachTensor(const slots::CallPlan& plan, slots::Role role, Visit visit) {
  for (const auto* list : {&plan.prepare_arguments, &plan.arguments}) {
    for (const slots::PlannedArgument& argument : *list) {
      const auto* planned = std::get_if<PlannedTensor>(&argument);
      if (planned != nullptr && planned->role == role) visit(*planned);
    }
  }
}

}  // namespace

Result<PreparedCase> PrepareCase(const slots::Slot& slot, slots::CallPlan plan, Secrets& secrets) {
  PreparedCase prepared{.plan = std::move(plan), .inputs = {}, .expected = {}};
  Status status;
  ForEachTensor(prepared.plan, slots::Role::kInput, [&](const PlannedTensor& planned) {
    if (!status) return;
    Result<InputMemory> input = MakeInput(planned, secrets);
    if (!input) {
      status = Fail(std::move(input.error()).While("making input `" + planned.name + "`"));
      return;
    }
    prepared.inputs.push_back(std::move(*input));
  });
  RETURN_IF_ERROR(std::move(status));
  ForEachTensor(prepared.plan, slots::Role::kOutput, [&](const PlannedTensor& planned) {
    if (!status) return;
    Result<ExpectedTensor> expected = MakeExpected(planned);
    if (expected) {
      prepared.expected.push_back(std::move(*expected));
    } else {
      status = Fail(std::move(expected.error()));
    }
  });
  RETURN_IF_ERROR(std::move(status));
  for (const PlannedTensor& planned : prepared.plan.evidence) {
    ASSIGN_OR_RETURN(ExpectedTensor evidence, MakeExpected(planned));
    prepared.expected.push_back(std::move(evidence));
  }

  std::vector<tensor::ConstTensorView> inputs;
  for (const InputMemory& input : prepared.inputs) inputs.push_back(input.memory.const_view());
  std::vector<tensor::TensorView> outputs;
  for (const ExpectedTensor& expected : prepared.expected) outputs.push_back(expected.view);
  const auto start = std::chrono::steady_clock::now();
  slot.Reference(prepared.plan, inputs, outputs);
  prepared.reference_time = std::chrono::steady_clock::now() - start;
  return prepared;
}

std::size_t CaseBytes(const slots::CallPlan& plan) {
  std::size_t bytes = 0;
  const auto add = [&](const PlannedTensor& planned) {
    const Result<std::int64_t> elements = tensor::SpanElements(planned.layout);
    if (elements) bytes += static_cast<std::size_t>(*elements) * tensor::ItemSize(planned.dtype);
  };
  ForEachTensor(plan, slots::Role::kInput, add);
  ForEachTensor(plan, slots::Role::kOutput, add);
  return bytes;
}

}  // namespace cacheon::verify
