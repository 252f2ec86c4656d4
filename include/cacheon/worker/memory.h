// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensor storage that the controller owns: one memfd per tensor, which the worker maps. An input is
// sealed against every write before it is granted. In the worker the file lies between unmapped
// pages; the bytes of its pages that are no element (slack before and after, stride gaps) are for
// the controller to fill with a secret pattern.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"

namespace cacheon::worker {

// Which end of the tensor touches the unmapped page.
enum class GuardSide : std::uint8_t { kAfter, kBefore };

// Not thread-safe, except that any number of threads may read and write the bytes.
class TensorMemory {
 public:
  // Reserves zeroed storage for `layout` with `offset_elements` before its first element. The
  // storage, that is the first of those offset elements, is aligned to `alignment_bytes` (a power
  // of two, at most a page); with kAfter up to alignment_bytes - 1 bytes of slack remain between
  // the last element and the unmapped page. The file cannot change its size from here on.
  // Codes: memory.create, tensor.overflow, tensor.negative_stride.
  static Result<TensorMemory> Create(std::string name, tensor::DType dtype, tensor::Layout layout,
                                     std::int64_t offset_elements, GuardSide side,
                                     std::size_t alignment_bytes = 64);

  TensorMemory(TensorMemory&&) noexcept;
  TensorMemory& operator=(TensorMemory&&) noexcept;
  ~TensorMemory();

  const std::string& name() const;
  tensor::DType dtype() const;
  const tensor::Layout& layout() const;
  std::int64_t offset_elements() const;
  // Differs between any two TensorMemory objects of this process, living or dead.
  std::uint64_t id() const;

  // The whole file: slack, elements, gaps; whole pages. Read-only after Seal.
  std::span<std::byte> writable_bytes();  // empty after Seal
  std::span<const std::byte> bytes() const;
  tensor::TensorView view();  // requires that it is not sealed
  tensor::ConstTensorView const_view() const;
  std::size_t element_begin_byte() const;  // byte offset of the view's first element in the file
  std::size_t storage_begin_byte() const;  // byte offset of the storage: element 0 - offset
  std::size_t element_span_bytes() const;  // from the first element to the end of the last

  // Copies `block` to the file by pwrite, which is faster than touching fresh pages through a
  // mapping. Before Seal only; inside the file (CACHEON_CHECK). Code: memory.write.
  Status Write(std::size_t offset, std::span<const std::byte> block);

  // Unmaps our writable mapping and seals the file against writing by anybody, by any route.
  // Views taken before are invalid. Sealing twice is harmless. Code: memory.seal.
  Status Seal();
  bool sealed() const;
  // The descriptors to grant. A read-only one cannot be mapped for writing, sealed or not.
  int writable_fd() const;  // -1 once sealed
  int read_only_fd() const;

 private:
  struct State;
  explicit TensorMemory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cacheon::worker
