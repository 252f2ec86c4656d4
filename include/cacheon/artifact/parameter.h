// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters of kernel launches: a closed set of kinds, each with a fixed or declared size. A row
// is read once into the alternative of its kind.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "cacheon/artifact/expression.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/scalar_type.h"
#include "cacheon/artifact/tma.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr int kPointerBytes = 8;
inline constexpr int kFastDivmodBytes = 12;

enum class GroupProjection : std::uint8_t { kNativeHandle, kPeerPtrTable };

struct PointerParameter {
  std::uint8_t binding = 0;
};

struct ScalarParameter {
  ScalarType type = ScalarType::kI32;
  Expression expression;
};

struct PackedScalar {
  ScalarType type = ScalarType::kI32;
  Expression expression;
};

struct PackedLiteral {
  std::vector<std::byte> bytes;
};

struct PackedAddress {
  std::uint8_t binding = 0;  // of a tensor; its address is eight bytes
};

// One field of a packed struct, at `offset` bytes from its start.
struct PackedField {
  int offset = 0;
  std::variant<PackedScalar, PackedLiteral, PackedAddress> value;

  int bytes() const;
};

struct PackedStruct {
  std::vector<PackedField> fields;  // in declared order; they do not overlap
};

struct TmaParameter {
  TmaPlan plan;
};

struct CutlassFastDivmod {
  Expression divisor;
};

struct CuteFastDivmod {
  Expression divisor;
};

struct GroupHandle {
  std::uint8_t binding = 0;
  GroupProjection projection = GroupProjection::kNativeHandle;
};

struct Parameter {
  int size = 0;  // bytes
  std::variant<PointerParameter, ScalarParameter, PackedStruct, TmaParameter, CutlassFastDivmod,
               CuteFastDivmod, GroupHandle>
      value;
};

std::string_view GroupProjectionName(GroupProjection projection);

// Reads one parameter row. Codes `pm.*`, `pk.*`, `tm.*` and those of expressions.
Result<Parameter> ParseParameter(const Json& row, const KeyPath& path);

// The canonical form: every key is written, absent ones as null and absent fields as [].
Json ParameterToJson(const Parameter& parameter);

}  // namespace cacheon::artifact
