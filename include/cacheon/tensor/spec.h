// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a call demands of a tensor, and whether a bound one keeps to it: representative layout and
// storage, validation, aliasing, and the proof that nothing was swapped behind the call.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"

namespace cacheon::tensor {

enum class StridePolicy : std::uint8_t {
  kContiguous,  // row-major without gaps
  kStrided,     // rows may have gaps: see IsNestedRowMajor
};

enum class Aliasing : std::uint8_t {
  kDisjoint,  // shares its storage with no input and no sibling
  kMayAlias,  // may share it with a sibling that may alias too
};

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::kFloat32;
  StridePolicy strides = StridePolicy::kContiguous;
  std::int64_t stride_padding = 0;   // kStrided only, in elements
  std::int64_t alignment_bytes = 1;  // a power of two
  Aliasing aliasing = Aliasing::kDisjoint;
};

// A tensor with the storage that it is a view of.
struct BoundTensor {
  std::string name;
  ConstTensorView view;
  const std::byte* storage = nullptr;
  std::size_t storage_bytes = 0;
};

// Codes: tensor.spec (padding below 0 or with kContiguous, an alignment that is no power of two),
// tensor.negative_dim, tensor.overflow.
Status CheckSpec(const TensorSpec& spec);

// The layout to allocate for the spec: dense, or PaddedLayout with its padding. Codes as above.
Result<Layout> RepresentativeLayout(const TensorSpec& spec);

// The bytes to allocate, wherever they start: the elements the layout spans, at least one, and as
// many more as aligning the first may skip. Codes as above.
Result<std::int64_t> StorageBytes(const TensorSpec& spec);

// Whether `tensor` is what the spec demands. Places are `NAME.FIELD`. Codes: tensor.shape,
// tensor.dtype, tensor.strides, tensor.misaligned, tensor.out_of_storage and those of SpanElements.
Status CheckTensor(const TensorSpec& spec, const BoundTensor& tensor);

// Whether outputs, `specs[i]` for `outputs[i]`, share storage where they must not: a disjoint one
// with an input, or two outputs of which one is disjoint. Empty tensors share nothing. Code:
// tensor.aliased, at the name of the output.
Status CheckAliasing(std::span<const TensorSpec> specs, std::span<const BoundTensor> outputs,
                     std::span<const BoundTensor> inputs);

// Whether a tensor is still bound as it was: storage, address, dtype, shape and strides. Code:
// tensor.rebound, which names what changed.
Status CheckBinding(const BoundTensor& before, const BoundTensor& after);

}  // namespace cacheon::tensor
