// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vocabulary of capability domains: the thirty public fields, and the canonical spelling of
// field names and values. Everything after this compares canonical text only.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::policy {

// The public fields, in the order of their names. Bundle metadata may constrain these and no
// others.
enum class Field : std::uint8_t {
  kAlignment,
  kArchitecture,
  kBatchSize,
  kBlockSize,
  kDtype,
  kEpSize,
  kExpTokens,
  kGraphMode,
  kHeadDim,
  kHiddenDim,
  kInitBlocks,
  kIntermediateDim,
  kKvLen,
  kLastDim,
  kLayout,
  kLocalBlocks,
  kModel,
  kNumExperts,
  kNumKvHeads,
  kNumQHeads,
  kNumTokens,
  kPageSize,
  kPhase,
  kQBlockSize,
  kQLen,
  kQuant,
  kRuntime,
  kTopK,
  kTpSize,
  kWorldSize,
};
inline constexpr std::size_t kFieldCount = 30;

// The values that graph_mode and quant give a meaning of their own.
inline constexpr std::string_view kCudaGraph = "cuda_graph";
inline constexpr std::string_view kDense = "dense";

std::string_view FieldName(Field field);
// True: the values are non-negative integers. False: they are text.
bool IsNumeric(Field field);
// The public field with this canonical name.
std::optional<Field> FindField(std::string_view canonical_name);

// Trimmed, lower case, '-' as '_', aliases resolved ("TP" is "tp_size"). The result is a field name
// but need not be a public field. Code cap.field_name.
Result<std::string> CanonicalFieldName(std::string_view raw);

// A canonical value. Public fields never hold a bool; numeric ones hold integers of at least 0.
using Scalar = std::variant<bool, std::int64_t, std::string>;

// The canonical value of the field with this canonical name, which may be a private one (bool, any
// integer of 64 bits, or text). Code cap.value: wrong type, null, blank text, negative or too
// large.
Result<Scalar> CanonicalValue(std::string_view field, const Json& raw);

// The canonical form of text for a text field; nullopt when it is blank.
std::optional<std::string> CanonicalText(std::string_view field, std::string_view raw);

Json ScalarToJson(const Scalar& value);
// For sentences: 64, true, 'bfloat16'.
std::string ScalarText(const Scalar& value);

}  // namespace cacheon::policy
