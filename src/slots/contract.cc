// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/contract.h"

#include <utility>

namespace cacheon::slots {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kOp:
      return "op";
    case Kind::kBlock:
      return "block";
    case Kind::kCollective:
      return "collective";
  }
  std::unreachable();
}

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kInput:
      return "input";
    case Role::kScalar:
      return "scalar";
    case Role::kPrepared:
      return "prepared";
    case Role::kOutput:
      return "output";
    case Role::kGroup:
      return "group";
  }
  std::unreachable();
}

std::string_view ScalarTypeName(ScalarType type) {
  switch (type) {
    case ScalarType::kBool:
      return "bool";
    case ScalarType::kInt32:
      return "i32";
    case ScalarType::kInt64:
      return "i64";
    case ScalarType::kFloat64:
      return "f64";
  }
  std::unreachable();
}

Tolerance ToleranceFor(tensor::DType call_dtype) {
  double bound = 1e-4;
  if (call_dtype == tensor::DType::kBFloat16) bound = 2e-2;
  if (call_dtype == tensor::DType::kFloat16) bound = 1e-2;
  if (call_dtype == tensor::DType::kFloat32) bound = 1e-5;
  return {.call_dtype = call_dtype, .atol = bound, .rtol = bound};
}

}  // namespace cacheon::slots
