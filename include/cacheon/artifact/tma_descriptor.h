// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Resolved tensor maps: the numbers of one call, checked before the driver sees them, and the
// arguments of cuTensorMapEncodeTiled.

#include <array>
#include <cstdint>

#include "cacheon/artifact/live_frame.h"
#include "cacheon/artifact/tma.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// The arguments in the driver's types and numbers. Arrays hold `rank` entries, global_strides one
// fewer.
struct TmaArguments {
  int data_type = 0;
  int rank = 0;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxTmaRank> global_dims{};
  std::array<std::uint64_t, kMaxTmaRank> global_strides{};  // bytes
  std::array<std::uint32_t, kMaxTmaRank> box_dims{};
  std::array<std::uint32_t, kMaxTmaRank> element_strides{};
  int interleave = 0;
  int swizzle = 0;
  int l2_promotion = 0;
  int oob_fill = 0;
};

// Numbers as they came out of expressions, before any check.
struct TmaNumbers {
  std::uint64_t address = 0;
  std::array<std::int64_t, kMaxTmaRank> global_dims{};
  std::array<std::int64_t, kMaxTmaRank> global_strides{};
  std::array<std::int64_t, kMaxTmaRank> box_dims{};
  std::array<std::int64_t, kMaxTmaRank> element_strides{};
};

// The fixed part of a descriptor.
struct TmaShape {
  int rank = 0;
  const TmaElementType* element_type = nullptr;
  TmaInterleave interleave = TmaInterleave::kNone;
  TmaSwizzle swizzle = TmaSwizzle::kNone;
  TmaL2Promotion l2_promotion = TmaL2Promotion::kNone;
  TmaOobFill oob_fill = TmaOobFill::kNone;
};

TmaShape ShapeOf(const TmaPlan& plan);

// Codes tm.rank and tm.nonpos, and tm.interleave_rank, tm.addr_align, tm.dim_max, tm.stride_max,
// tm.stride_align, tm.nested, tm.box_max, tm.estride_max, tm.inner_16, tm.swizzle_span,
// tm.il32_swizzle, tm.nan_element. The nesting rule is the formula of the driver's documentation:
// it refuses permuted and overlapping strides, which a driver might accept.
Result<TmaArguments> ResolveTma(const TmaShape& shape, const TmaNumbers& numbers);

// Evaluates the plan on a frame and resolves it. Codes of ResolveTma, expressions, and tm.int.
Result<TmaArguments> EvaluateTma(const TmaPlan& plan, LiveFrame frame);

// Reads a descriptor whose numbers are all known. Codes of ParseTmaPlan and ResolveTma.
Result<TmaArguments> ParseTmaDescriptor(const Json& value, const KeyPath& path);

}  // namespace cacheon::artifact
