// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a slot promises and demands, as data.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/tensor/compare.h"
#include "cacheon/tensor/dtype.h"

namespace cacheon::slots {

enum class Kind : std::uint8_t {
  kOp,          // an elementwise or row-wise operator; graph evidence is always required
  kBlock,       // a larger part of a layer
  kCollective,  // runs on every rank of a group
};

enum class Role : std::uint8_t {
  kInput,     // a tensor, read-only
  kScalar,    // a bool, int or float, fixed while a graph is captured
  kPrepared,  // what prepare returned
  kOutput,    // a tensor that the candidate fills
  kGroup,     // the process group of the call
};

enum class ScalarType : std::uint8_t { kBool, kInt32, kInt64, kFloat64 };

// One positional argument of the entry.
struct Argument {
  std::string_view name;
  Role role;
  // Tensors: the dtypes the ABI allows; empty is the call dtype.
  std::vector<tensor::DType> dtypes = {};
  // Tensors: symbolic dimensions such as {"M", "2*d"}; "..." stands for any leading dimensions.
  std::vector<std::string_view> shape = {};
  std::optional<ScalarType> scalar = {};
  bool graph_dynamic = false;  // takes fresh content between replays of one captured graph
  // Rows may be padded (last stride 1, row stride above the row) in live calls.
  bool padded_rows = false;
  std::string_view meaning = {};
};

struct Tolerance {
  tensor::DType call_dtype;
  double atol;
  double rtol;
};

// Structured acceptance: what an output must satisfy on top of the published comparator, so that
// neither a few wild elements nor a few wrong rows hide in a ratio. A group is one row of the
// output (its last dimension). With u the epsilon of the coarsest format that an honest kernel
// rounds to,
//   slack(i) = steps * u * (|expected(i)| + group_weight * rms(expected of the group)).
struct AcceptanceRule {
  double steps_16_bit = 0;  // rounding steps allowed in float16 and bfloat16
  double steps_32_bit = 0;  // and in float32
  // Above 0: stands for steps * u, where a format coarser than the call's is on the way.
  double unit = 0;
  // What the group's size adds to an element's own: near 0 for elementwise results, 1 for sums
  // whose terms cancel.
  double group_weight = 0;
  double min_group_share = 1;  // share of each group's elements that must lie within the slack
  double max_slacks = 1;       // no element may be further off than this many slacks
  double max_group_l2 = 1;     // |a - e| <= max_group_l2 * steps * u * |e| over each group
  std::string_view derivation = {};  // why these numbers, for `explain` and the documents
};

struct Contract {
  std::string_view id;  // "activation.silu_and_mul"
  Kind kind;
  std::string_view entry;  // the conventional name of the callable
  std::vector<Argument> arguments;
  std::vector<Argument> prepare_arguments = {};  // empty: the slot has no prepare
  std::string_view semantics;                    // the formula, for people
  tensor::ComparePolicy policy;                  // without atol and rtol, which ToleranceFor gives
  AcceptanceRule acceptance = {};
  std::optional<double> kl_threshold = {};
  std::string_view model = {};  // the model key that this contract is specialised for
  // Arenas in which the slot cannot be measured, as model keys.
  std::vector<std::string_view> unavailable_in = {};

  bool has_prepare() const { return !prepare_arguments.empty(); }
};

std::string_view KindName(Kind kind);
std::string_view RoleName(Role role);
std::string_view ScalarTypeName(ScalarType type);  // as call ABIs spell it: "i32", "f64", ...

// The tolerance for a call dtype: the same for every slot.
Tolerance ToleranceFor(tensor::DType call_dtype);

}  // namespace cacheon::slots
