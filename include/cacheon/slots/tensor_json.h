// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensors in JSON, {"dtype", "shape", "data"} with row-major data, and the reference of a slot over
// a case written that way: the form of the golden vectors and of `cacheon reference`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// A dense tensor with memory of its own.
struct OwnedTensor {
  std::string name = {};
  tensor::DType dtype = tensor::DType::kFloat32;
  tensor::Layout layout = {};
  std::vector<std::byte> bytes = {};

  tensor::ConstTensorView view() const { return {bytes.data(), dtype, layout}; }
  tensor::TensorView mutable_view() { return {bytes.data(), dtype, layout}; }
};

// Zeros. Code: tensor.overflow.
Result<OwnedTensor> MakeTensor(std::string name, tensor::DType dtype,
                               std::vector<std::int64_t> shape);

// Reads {"dtype", "shape", "data"}. Decimal spellings are rounded to float32 first, then to the
// dtype; "inf", "-inf" and "nan" are strings. Codes: slot.tensor_form at `place`, tensor.overflow.
Result<OwnedTensor> ReadTensorJson(const Json& json, std::string_view place);

// Floats in the shortest spelling that reads back as the same float32.
Json TensorJson(const tensor::ConstTensorView& view);

// The trusted outputs, dense float32 or int32, of a case: an object with `dtype`, the slot's inputs
// and scalars by name in `inputs`, or beside it, or one set in each element of `ranks`. A slot that
// runs on ranks gives the outputs that are the same on every rank. Codes: slot.tensor_form,
// slot.argument, slot.dtype, slot.shape, slot.value (a value that the contract forbids),
// slot.call_dtype.
Result<std::vector<OwnedTensor>> RunReference(const Slot& slot, const Json& the_case);

// The same as {"out": tensor, ...}.
Result<Json> RunReferenceJson(const Slot& slot, const Json& the_case);

}  // namespace cacheon::slots
