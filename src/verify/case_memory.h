// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What exists before a case is called: inputs made from the plan's sources and sealed, and expected
// values that only the controller holds.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "cacheon/tensor/view.h"
#include "cacheon/worker/memory.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {

struct InputMemory {
  worker::TensorMemory memory;
  std::uint64_t fingerprint = 0;  // of the whole file, taken when it was sealed
};

// Dense values that the controller expects, in host memory of its own.
struct ExpectedTensor {
  std::unique_ptr<std::byte[]> storage;
  tensor::TensorView view;
};

// A case whose inputs and expected outputs exist.
struct PreparedCase {
  slots::CallPlan plan;
  std::vector<InputMemory> inputs;       // those of prepare first, then of the entry, in ABI order
  std::vector<ExpectedTensor> expected;  // one per output, then the evidence
  std::chrono::nanoseconds reference_time{};
};

// Makes the inputs and computes the expected outputs. Codes: those of TensorMemory.
Result<PreparedCase> PrepareCase(const slots::Slot& slot, slots::CallPlan plan, Secrets& secrets);

// Bytes of the tensors of one call: inputs and one set of outputs.
std::size_t CaseBytes(const slots::CallPlan& plan);

}  // namespace cacheon::verify
