// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Views to and from DLPack, the layout in which frameworks exchange tensors. Only the plain
// DLTensor is handled: who owns the memory, and for how long, is settled by the caller. Debian's
// header is version 0.6; the element types that came later (bool, float8, float4) are exchanged
// with the codes of version 1.1.

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"

namespace cacheon::tensor {

inline constexpr int kMaxDlpackRank = 32;

inline constexpr DLDevice kDlpackCpu{.device_type = kDLCPU, .device_id = 0};

// Packed E2M1 is float4 with two lanes.
DLDataType DlpackType(DType dtype);
std::optional<DType> DTypeOf(DLDataType type);

// Describes a view as a DLTensor, which points into this object and to the view's memory; both must
// outlive its use. Not copyable and not movable, because the tensor points to the object's arrays.
class DlpackTensor {
 public:
  explicit DlpackTensor(TensorView view, DLDevice device = kDlpackCpu);
  DlpackTensor(const DlpackTensor&) = delete;
  DlpackTensor& operator=(const DlpackTensor&) = delete;

  const DLTensor& tensor() const { return tensor_; }

 private:
  TensorView view_;
  DLTensor tensor_;
};

// A view of somebody's DLTensor, whose every field is distrusted except that its pointers are
// valid: `shape`, and `strides` when it is not null, have `ndim` entries. Without strides it is
// dense. `data` may be a device address; it is never read. Codes: tensor.device (another device
// than `device`), tensor.dtype, tensor.rank (ndim below 0 or above kMaxDlpackRank, no shape),
// tensor.null_data, tensor.misaligned (the first element), tensor.negative_dim,
// tensor.negative_stride, tensor.overflow (also when an address would wrap).
Result<TensorView> ViewFromDlpack(const DLTensor& tensor, DLDevice device = kDlpackCpu);

}  // namespace cacheon::tensor
