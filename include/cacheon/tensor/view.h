// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Non-owning views of tensors. A view's memory, and nothing else, belongs to somebody else and must
// outlive it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cacheon/core/result.h"
#include "cacheon/tensor/dtype.h"
#include "cacheon/tensor/layout.h"

namespace cacheon::tensor {

// A tensor whose elements may be read.
struct ConstTensorView {
  const std::byte* data = nullptr;  // the element at index 0 of every dimension
  DType dtype = DType::kFloat32;
  Layout layout;

  std::span<const std::int64_t> shape() const { return layout.shape; }
};

// A tensor whose elements may be written.
struct TensorView {
  std::byte* data = nullptr;
  DType dtype = DType::kFloat32;
  Layout layout;

  std::span<const std::int64_t> shape() const { return layout.shape; }
  // Implicit on purpose: whatever may be written may be read.
  operator ConstTensorView() const {  // NOLINT(google-explicit-constructor)
    return {data, dtype, layout};
  }
};

// The typed data of a view, to be indexed with its strides. An element must have the size of T
// (CACHEON_CHECK).
template <typename T>
const T* Elements(const ConstTensorView& view) {
  CACHEON_CHECK(sizeof(T) == ItemSize(view.dtype), "the view holds elements of another type");
  return reinterpret_cast<const T*>(view.data);
}
template <typename T>
T* Elements(const TensorView& view) {
  CACHEON_CHECK(sizeof(T) == ItemSize(view.dtype), "the view holds elements of another type");
  return reinterpret_cast<T*>(view.data);
}

// Calls `body(element_offset, count, first_index)` for every maximal run of adjacent elements, in
// row-major order: `element_offset` from data, `first_index` the row-major index of the run's first
// element.
void ForEachRun(const Layout& layout,
                const std::function<void(std::int64_t element_offset, std::int64_t count,
                                         std::int64_t first_index)>& body);

// The row-major elements [first, first + out.size()) as floats, whatever the layout. The four
// functions require that the range lies inside the tensor; conversions are those of dtype.h.
void ReadFloats(const ConstTensorView& view, std::int64_t first, std::span<float> out);
void WriteFloats(const TensorView& view, std::int64_t first, std::span<const float> values);

// The same for bool (0 or 1) and the integer types, exact. A value that an integer type cannot hold
// keeps its low bits. Other types must not be passed (CACHEON_CHECK).
void ReadIntegers(const ConstTensorView& view, std::int64_t first, std::span<std::int64_t> out);
void WriteIntegers(const TensorView& view, std::int64_t first,
                   std::span<const std::int64_t> values);

}  // namespace cacheon::tensor
