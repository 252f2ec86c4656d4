// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A case is one call to judge: parameters, layout and value profile. Planning turns it into
// concrete tensors and scalars in the order of the ABI; nothing here allocates tensor memory.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/slots/contract.h"
#include "cacheon/tensor/layout.h"

namespace cacheon::slots {

enum class CaseKind : std::uint8_t {
  kPublished,  // of the published default list
  kOurs,       // added because the default list is weak there
};

struct Case {
  CaseKind kind = CaseKind::kPublished;
  // Named integers, floats and bools of the generator: {"num_tokens": 8, "d": 1024}.
  std::map<std::string, Json, std::less<>> parameters = {};
  std::string layout = "dense";           // or "padded": rows with gaps, offset start
  std::string value_profile = "default";  // "saturation", "eps_dominated", "subnormal", ...
};

using Scalar = std::variant<bool, std::int64_t, double>;

// Produces the row-major elements [first, first + out.size()) of one input, a pure function of the
// position, so that blocks can be made in any order and on any thread. Floats are rounded to the
// tensor's dtype by the caller.
using FloatSource = std::function<void(std::int64_t first, std::span<float> out)>;
using IntSource = std::function<void(std::int64_t first, std::span<std::int64_t> out)>;

struct PlannedTensor {
  std::string name;
  Role role = Role::kInput;
  tensor::DType dtype = tensor::DType::kFloat32;
  tensor::Layout layout;
  // Elements before the first one that belong to the storage (a view that starts inside a row).
  std::int64_t offset_elements = 0;
  // Inputs only: where the values come from.
  std::variant<std::monostate, FloatSource, IntSource> source = {};
};

struct PlannedScalar {
  std::string name;
  ScalarType type = ScalarType::kInt64;
  Scalar value;
};

struct PlannedPrepared {};
struct PlannedGroup {};

using PlannedArgument = std::variant<PlannedTensor, PlannedScalar, PlannedPrepared, PlannedGroup>;

// One call, ready to be granted: arguments in ABI order.
struct CallPlan {
  Case origin;
  std::uint64_t seed = 0;
  tensor::DType call_dtype = tensor::DType::kFloat32;
  std::vector<PlannedArgument> arguments = {};
  std::vector<PlannedArgument> prepare_arguments = {};
  // Not empty: prepare gets this string and then one object, whose attributes are the tensors of
  // prepare_arguments, by name, and these fields.
  std::string prepare_tag = {};
  Json::Object prepare_fields = {};
  // What the reference also writes, after the outputs, when it is given room for it: float32
  // tensors that grading needs, such as the scores behind chosen ids.
  std::vector<PlannedTensor> evidence = {};
  // The fields of the call descriptor that the case decides (dtype, last_dim, ...), by field name.
  Json::Object descriptor = {};
};

}  // namespace cacheon::slots
