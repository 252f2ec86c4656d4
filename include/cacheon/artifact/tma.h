// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// TMA descriptors: what a plan declares, and the tables that turn its words into the driver's
// numbers (CUDA 13.0, cuTensorMapEncodeTiled; there is no im2col form).

#include <cstdint>
#include <string_view>
#include <vector>

#include "cacheon/artifact/expression.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr int kTmaDescriptorBytes = 128;
inline constexpr std::size_t kMaxTmaRank = 5;

struct TmaElementType {
  std::string_view name;
  int driver_value;  // CUtensorMapDataType
  int bytes;
  bool is_float;
};

enum class TmaInterleave : std::uint8_t { kNone, k16B, k32B };
enum class TmaSwizzle : std::uint8_t { kNone, k32B, k64B, k128B, k128BAtom32B };
enum class TmaL2Promotion : std::uint8_t { kNone, k64B, k128B, k256B };

// `none` and `zero` are two words for one driver value, kept apart because they are identity.
enum class TmaOobFill : std::uint8_t { kNone, kZero, kNanRequestZeroFma };

// Rank r is the number of global dims. Dimension 0 is innermost; strides are in bytes, for
// dimensions 1..r-1.
struct TmaPlan {
  std::uint8_t binding = 0;
  const TmaElementType* element_type = nullptr;  // of the static table
  std::vector<Expression> global_dims;
  std::vector<Expression> global_strides;
  std::vector<Expression> box_dims;
  std::vector<Expression> element_strides;
  TmaInterleave interleave = TmaInterleave::kNone;
  TmaSwizzle swizzle = TmaSwizzle::kNone;
  TmaL2Promotion l2_promotion = TmaL2Promotion::kNone;
  TmaOobFill oob_fill = TmaOobFill::kNone;
};

// The words of the `tma` table that are not expressions, with their names.
const TmaElementType* FindTmaElementType(std::string_view name);
std::string_view TmaInterleaveName(TmaInterleave interleave);
std::string_view TmaSwizzleName(TmaSwizzle swizzle);
std::string_view TmaL2PromotionName(TmaL2Promotion promotion);
std::string_view TmaOobFillName(TmaOobFill fill);

// Reads the `tma` table of a parameter. Codes `tm.*` and those of expressions.
Result<TmaPlan> ParseTmaPlan(const Json& value, const KeyPath& path);
Json TmaPlanToJson(const TmaPlan& plan);

}  // namespace cacheon::artifact
