// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Puts a plan together from named tensors and scalars: the contract gives the order, the dtypes and
// the shapes of the outputs, and every shape is checked against it.

#include <map>
#include <string>
#include <string_view>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "cacheon/slots/contract.h"
#include "src/slots/shape_symbols.h"

namespace cacheon::slots {

class CallBuilder {
 public:
  CallBuilder(const Contract& contract, const Case& the_case, tensor::DType call_dtype,
              std::uint64_t seed);

  // Inputs of the call or of prepare. Naming an argument that the contract lacks is slot.argument.
  void Add(PlannedTensor input);
  void Add(PlannedScalar scalar);
  // Code: tensor.overflow.
  Status AddDense(std::string name, tensor::DType dtype, std::vector<std::int64_t> shape,
                  std::variant<std::monostate, FloatSource, IntSource> source);

  // Codes: slot.argument (missing or unknown, or another role), slot.dtype, slot.shape,
  // tensor.overflow.
  Result<CallPlan> Finish();

  // The dimensions of the call; complete after Finish.
  const ShapeSymbols& symbols() const { return symbols_; }

 private:
  Status Bind(const Argument& argument, tensor::DType call_dtype);
  Result<PlannedArgument> Take(const Argument& argument, tensor::DType call_dtype);

  const Contract& contract_;
  CallPlan plan_;
  std::map<std::string, PlannedArgument, std::less<>> given_;
  ShapeSymbols symbols_;
};

// The arguments of a plan by name. Requires that it is there and of that role.
const PlannedTensor& TensorOf(const CallPlan& plan, std::string_view name);
std::int64_t IntOf(const CallPlan& plan, std::string_view name);
double FloatOf(const CallPlan& plan, std::string_view name);
bool BoolOf(const CallPlan& plan, std::string_view name);

}  // namespace cacheon::slots
