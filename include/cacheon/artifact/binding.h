// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bindings: how an export sees the resources of its slot. A row is read once into this checked
// type; the index of a binding is what device plans refer to.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/scalar_type.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

enum class BindingKind : std::uint8_t {
  kTensor,
  kPointer,
  kScalar,
  kStream,
  kGroup,
  kOpaque,
  kAggregate,  // a CuTe tuple; counts for identity and lifecycle, no device plan may refer to it
};

enum class Projection : std::uint8_t {
  kDescriptor,     // the tensor itself
  kIdentity,       // a pointer, stream, group or opaque value as it is
  kDevicePtr,      // the address of a tensor's first element
  kNativeHandle,   // of a group; needs a provider capability
  kPeerPtrTable,   // of a group, for one group_ipc resource
  kValue,          // of a scalar
  kShape,          // of a tensor, one axis
  kStride,         // of a tensor, one axis, in elements
  kNumel,          // of a tensor
  kRank,           // of a tensor or a group
  kSize,           // of a group
  kStorageOffset,  // of a tensor, in elements
  kTuple,          // of an aggregate
};

struct StaticLeaf {
  std::int64_t value = 0;
};

struct DynamicLeaf {
  std::string source;
  Projection projection = Projection::kValue;  // kValue, kShape or kStride
  ScalarType cast = ScalarType::kI32;          // kI32 or kI64
  std::optional<int> axis = {};                // for kShape and kStride
};

struct AggregateNode {
  std::variant<StaticLeaf, DynamicLeaf, std::vector<AggregateNode>> value;
};

struct Binding {
  BindingKind kind = BindingKind::kTensor;
  Projection projection = Projection::kDescriptor;
  std::string source = {};                        // empty for aggregates
  std::optional<ScalarType> cast = {};            // scalars
  std::vector<int> unsqueeze = {};                // tensors
  std::optional<int> assumed_align = {};          // tensors and pointers, in bytes
  std::optional<int> leading_dim = {};            // tensors
  std::optional<int> axis = {};                   // kShape and kStride
  std::string peer_resource = {};                 // kPeerPtrTable
  std::string aggregate_cast = {};                // aggregates: `Shape`, ...
  std::optional<ScalarType> component_cast = {};  // aggregates
  std::vector<AggregateNode> components = {};     // aggregates
};

std::string_view BindingKindName(BindingKind kind);
std::string_view ProjectionName(Projection projection);

// Reads one `bindings` list: syntax, closed sets and the rules that need no slot. Codes `bd.*`.
Result<std::vector<Binding>> ParseBindings(const Json& rows, const KeyPath& path);

// The canonical row of an identity: optional keys appear only when they are set.
Json BindingToJson(const Binding& binding);
Json BindingsToJson(const std::vector<Binding>& bindings);

// The dynamic leaves of an aggregate, depth first.
std::vector<const DynamicLeaf*> DynamicLeavesOf(const Binding& binding);

}  // namespace cacheon::artifact
