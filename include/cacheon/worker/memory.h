// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensor storage that the controller owns: one memfd per tensor, which the worker maps. An input is
// sealed against every write before it is granted. An output lies between unmapped pages; the bytes
// of its pages that are no element (slack before and after, stride gaps) hold a secret pattern.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/tensor/view.h"

namespace cacheon::worker {

// Which end of the tensor touches the unmapped page.
enum class GuardSide : std::uint8_t { kAfter, kBefore };

class TensorMemory {
 public:
  // Reserves storage for `layout` with `offset_elements` before its first element, aligned to
  // `alignment_bytes` (a power of two, at most a page). Codes: memory.create, tensor.overflow.
  static Result<TensorMemory> Create(std::string name, tensor::DType dtype, tensor::Layout layout,
                                     std::int64_t offset_elements, GuardSide side,
                                     std::size_t alignment_bytes = 64);

  TensorMemory(TensorMemory&&) noexcept;
  TensorMemory& operator=(TensorMemory&&) noexcept;
  ~TensorMemory();

  const std::string& name() const;
  // The whole file: slack, elements, gaps. Read-only after Seal.
  std::span<std::byte> writable_bytes();  // empty after Seal
  std::span<const std::byte> bytes() const;
  tensor::TensorView view();  // requires that it is not sealed
  tensor::ConstTensorView const_view() const;
  std::size_t element_begin_byte() const;  // byte offset of the view's first element in the file

  // Fills every byte by pwrite from a producer of consecutive blocks, which is faster than touching
  // fresh pages through a mapping. Before Seal only.
  Status Write(std::size_t offset, std::span<const std::byte> block);

  // Unmaps our writable mapping and seals the file against writing, shrinking and growing.
  // Code: memory.seal.
  Status Seal();
  bool sealed() const;
  int fd() const;

 private:
  struct State;
  explicit TensorMemory(State* state);
  State* state_;
};

}  // namespace cacheon::worker
