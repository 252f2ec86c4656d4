// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One output, full of a secret pattern when it is granted, and what its memory says after a call.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "cacheon/tensor/view.h"
#include "cacheon/worker/memory.h"
#include "src/verify/pattern.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {

class OutputMemory {
 public:
  // Codes: those of TensorMemory.
  static Result<OutputMemory> Create(const slots::PlannedTensor& planned, PatternKind kind,
                                     worker::GuardSide side, Secrets& secrets);

  const worker::TensorMemory& memory() const { return memory_; }
  tensor::ConstTensorView view() const { return memory_.const_view(); }
  std::uint64_t Fingerprint(std::uint64_t key) const;

  struct Inspection {
    std::int64_t unwritten = 0;            // elements that still hold the pattern
    std::int64_t first_unwritten = -1;     // row-major index of the first; -1: none
    std::int64_t changed_guard_bytes = 0;  // bytes beside the elements that lost it
    std::int64_t first_changed_byte = 0;   // of the first such byte, counted from the first element
  };
  // Reads the whole storage once.
  Inspection Inspect() const;

 private:
  OutputMemory(worker::TensorMemory memory, Pattern pattern)
      : memory_(std::move(memory)), pattern_(pattern) {}

  worker::TensorMemory memory_;
  Pattern pattern_;
};

}  // namespace cacheon::verify
