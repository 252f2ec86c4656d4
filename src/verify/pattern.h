// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Secret contents. Every byte of an output's storage holds a pattern before a call: where it is
// still there on an element, the element was not written; where it is gone beside the elements,
// something wrote out of bounds. A pattern is a function of a secret and the position, so nothing
// is stored and nothing in it repeats that a candidate could learn.

#include <cstddef>
#include <cstdint>
#include <span>

#include "cacheon/core/philox.h"
#include "cacheon/core/result.h"
#include "cacheon/tensor/dtype.h"
#include "cacheon/worker/memory.h"

namespace cacheon::verify {

enum class PatternKind : std::uint8_t {
  kNan,     // quiet NaNs with random payload and sign; integers far outside any legal range
  kFinite,  // ordinary finite values, which cannot be told from results; integers as for kNan
};

class Pattern {
 public:
  Pattern(PatternKind kind, tensor::DType dtype, std::uint64_t secret, std::uint64_t stream)
      : kind_(kind), dtype_(dtype), bits_(secret, stream) {}

  // Fills the whole storage.
  Status Fill(worker::TensorMemory& memory) const;

  // The bytes at [offset, offset + out.size()) of the storage; offset is a multiple of 16.
  void Generate(std::size_t offset, std::span<std::byte> out) const;

 private:
  PatternKind kind_;
  tensor::DType dtype_;
  Philox bits_;
};

}  // namespace cacheon::verify
