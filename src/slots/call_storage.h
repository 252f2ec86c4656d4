// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Host memory for the tensors of one plan, for calls that are trusted: tests, benchmarks and the
// audit of the cases. Candidates get theirs from the worker module, with guards.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

class CallStorage {
 public:
  // Allocates and fills the inputs; outputs and gaps between rows hold NaN, or 0x7F bytes in
  // integer tensors. Code: tensor.overflow.
  static Result<CallStorage> Create(const CallPlan& plan);

  // Inputs of prepare and then of the call, in ABI order, as Slot::Reference wants them.
  std::span<const tensor::ConstTensorView> inputs() const { return inputs_; }
  // The outputs in the dtypes of the call.
  std::span<const tensor::TensorView> outputs() const { return outputs_; }
  std::vector<tensor::ConstTensorView> const_outputs() const;
  // Dense float32 (int32 for index outputs), for the reference; then the evidence.
  std::span<const tensor::TensorView> expected() const { return expected_; }
  std::vector<tensor::ConstTensorView> const_expected() const;

  // Poisons the outputs again.
  void Poison();

 private:
  std::byte* Allocate(std::size_t bytes);
  Status Add(const PlannedTensor& planned);
  Status AddInput(const PlannedTensor& planned);
  Status AddOutput(const PlannedTensor& planned);
  Status AddExpected(const PlannedTensor& planned);

  std::vector<std::vector<std::byte>> blocks_;
  std::vector<tensor::ConstTensorView> inputs_;
  std::vector<tensor::TensorView> outputs_;
  std::vector<tensor::TensorView> expected_;
};

// A planned call with its storage, and the reference already computed.
struct JudgedCall {
  CallPlan plan;
  CallStorage storage;
};

// Codes: those of Slot::Plan and CallStorage::Create.
Result<JudgedCall> MakeJudgedCall(const Slot& slot, const Case& the_case, tensor::DType call_dtype,
                                  std::uint64_t seed);

}  // namespace cacheon::slots
