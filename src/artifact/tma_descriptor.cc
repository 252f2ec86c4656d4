// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/tma_descriptor.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "cacheon/artifact/evaluate.h"
#include "cacheon/artifact/scalar_type.h"
#include "src/artifact/table_reader.h"
#include "src/artifact/tma_words.h"

namespace cacheon::artifact {
namespace {

// The 128-bit type of gcc and clang; products of a stride and a dim need more than 64 bits.
__extension__ using Wide = __int128;

constexpr std::int64_t kMaxDim = std::int64_t{1} << 32;
constexpr std::int64_t kStrideLimit = std::int64_t{1} << 40;  // exclusive
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxElementStride = 8;
constexpr int kAlignment = 16;
constexpr int kWideAlignment = 32;  // of interleave_32b

using Numbers = std::span<const std::int64_t>;

struct Resolved {
  Numbers dims;
  Numbers strides;
  Numbers box;
  Numbers element_strides;
};

Status CheckPositive(Numbers numbers, std::string_view what) {
  for (const std::int64_t number : numbers) {
    if (number <= 0) return Fail("tm.nonpos", fmt::format("one of the {} is {}", what, number));
  }
  return {};
}

Status CheckAllPositive(const Resolved& numbers) {
  RETURN_IF_ERROR(CheckPositive(numbers.dims, "global dims"));
  RETURN_IF_ERROR(CheckPositive(numbers.strides, "global strides"));
  RETURN_IF_ERROR(CheckPositive(numbers.box, "box dims"));
  return CheckPositive(numbers.element_strides, "element strides");
}

int AlignmentOf(const TmaShape& shape) {
  return shape.interleave == TmaInterleave::k32B ? kWideAlignment : kAlignment;
}

Status CheckGlobal(const TmaShape& shape, std::uint64_t address, const Resolved& numbers) {
  const int alignment = AlignmentOf(shape);
  if (shape.interleave != TmaInterleave::kNone && shape.rank < 3) {
    return Fail("tm.interleave_rank", "an interleaved tensor map needs rank 3 or more");
  }
  if (address % static_cast<std::uint64_t>(alignment) != 0) {
    return Fail("tm.addr_align",
                fmt::format("the address {:#x} is no multiple of {}", address, alignment));
  }
  for (const std::int64_t dim : numbers.dims) {
    if (dim > kMaxDim) return Fail("tm.dim_max", fmt::format("a global dim is {}", dim));
  }
  for (const std::int64_t stride : numbers.strides) {
    if (stride >= kStrideLimit) {
      return Fail("tm.stride_max", fmt::format("a global stride is {} bytes", stride));
    }
  }
  for (const std::int64_t stride : numbers.strides) {
    if (stride % alignment != 0) {
      return Fail("tm.stride_align", fmt::format("a global stride of {} bytes is no multiple of {}",
                                                 stride, alignment));
    }
  }
  return {};
}

Status CheckNesting(const TmaShape& shape, const Resolved& numbers) {
  for (std::size_t i = 0; i < numbers.strides.size(); ++i) {
    const Wide inner = i == 0 ? Wide{numbers.dims[0]} * shape.element_type->bytes
                              : Wide{numbers.strides[i - 1]} * numbers.dims[i];
    if (numbers.strides[i] < inner) {
      return Fail("tm.nested",
                  fmt::format("global stride {} is smaller than what lies inside it", i));
    }
  }
  return {};
}

int SpanOf(TmaSwizzle swizzle) {
  switch (swizzle) {
    case TmaSwizzle::kNone:
      return 0;
    case TmaSwizzle::k32B:
      return 32;
    case TmaSwizzle::k64B:
      return 64;
    case TmaSwizzle::k128B:
    case TmaSwizzle::k128BAtom32B:
      return 128;
  }
  std::unreachable();
}

Status CheckInnerBox(const TmaShape& shape, std::int64_t inner_elements) {
  if (shape.interleave != TmaInterleave::kNone) return {};
  const std::int64_t bytes = inner_elements * shape.element_type->bytes;
  if (bytes % kAlignment != 0) {
    return Fail("tm.inner_16",
                fmt::format("the inner box of {} bytes is no multiple of 16", bytes));
  }
  const int span = SpanOf(shape.swizzle);
  if (span != 0 && bytes > span) {
    return Fail("tm.swizzle_span", fmt::format("the inner box of {} bytes is wider than {} of {}",
                                               bytes, span, TmaSwizzleName(shape.swizzle)));
  }
  return {};
}

Status CheckBox(const TmaShape& shape, const Resolved& numbers) {
  for (const std::int64_t box : numbers.box) {
    if (box > kMaxBox) return Fail("tm.box_max", fmt::format("a box dim is {}", box));
  }
  for (const std::int64_t stride : numbers.element_strides) {
    if (stride > kMaxElementStride) {
      return Fail("tm.estride_max", fmt::format("an element stride is {}", stride));
    }
  }
  RETURN_IF_ERROR(CheckInnerBox(shape, numbers.box[0]));
  if (shape.interleave == TmaInterleave::k32B && shape.swizzle != TmaSwizzle::k32B) {
    return Fail("tm.il32_swizzle", "interleave_32b needs swizzle_32b");
  }
  if (shape.oob_fill == TmaOobFill::kNanRequestZeroFma && !shape.element_type->is_float) {
    return Fail("tm.nan_element",
                fmt::format("{} elements cannot be filled with NaN", shape.element_type->name));
  }
  return {};
}

template <typename To>
std::array<To, kMaxTmaRank> Narrow(const std::array<std::int64_t, kMaxTmaRank>& numbers) {
  std::array<To, kMaxTmaRank> result{};
  for (std::size_t i = 0; i < kMaxTmaRank; ++i) result[i] = static_cast<To>(numbers[i]);
  return result;
}

Status EvaluateList(const std::vector<Expression>& list, LiveFrame frame,
                    std::array<std::int64_t, kMaxTmaRank>& numbers) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(const ExprValue value, EvaluateExpression(list[i], frame));
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr) return Fail("tm.int", "a number of a tensor map is no integer");
    numbers[i] = *integer;
  }
  return {};
}

Result<std::size_t> ReadNumbers(const Json& table, std::string_view key, const KeyPath& path,
                                std::array<std::int64_t, kMaxTmaRank>& numbers) {
  const Json* list = table.Find(key);
  const KeyPath list_path = path.Key(key);
  if (!list->is_array()) {
    return Fail("tm.list", fmt::format("`{}` is a list, not {}", key, Spell(list)),
                list_path.where());
  }
  const Json::Array& entries = list->as_array();
  for (std::size_t i = 0; i < entries.size() && i < kMaxTmaRank; ++i) {
    if (!entries[i].is_int64()) {
      return Fail("tm.int", fmt::format("{} is no integer", Spell(&entries[i])),
                  list_path.At(i).where());
    }
    numbers[i] = entries[i].as_int64();
  }
  return entries.size();
}

// u64: addresses above int64 are legal.
Result<std::uint64_t> ReadAddress(const Json* value, const KeyPath& path) {
  if (value != nullptr && IsIntegerOf(ScalarType::kU64, *value)) {
    const TypedScalar address = ToTypedScalar(*value);
    const auto* wide = std::get_if<std::uint64_t>(&address);
    return wide != nullptr ? *wide : static_cast<std::uint64_t>(std::get<std::int64_t>(address));
  }
  return Fail("tm.int", fmt::format("{} is no address", Spell(value)), path.where());
}

}  // namespace

TmaShape ShapeOf(const TmaPlan& plan) {
  return {.rank = static_cast<int>(plan.global_dims.size()),
          .element_type = plan.element_type,
          .interleave = plan.interleave,
          .swizzle = plan.swizzle,
          .l2_promotion = plan.l2_promotion,
          .oob_fill = plan.oob_fill};
}

Result<TmaArguments> ResolveTma(const TmaShape& shape, const TmaNumbers& numbers) {
  if (shape.rank < 1 || shape.rank > static_cast<int>(kMaxTmaRank)) {
    return Fail("tm.rank",
                fmt::format("a tensor map has rank 1..{}, not {}", kMaxTmaRank, shape.rank));
  }
  const auto rank = static_cast<std::size_t>(shape.rank);
  const Resolved resolved{
      Numbers(numbers.global_dims).first(rank), Numbers(numbers.global_strides).first(rank - 1),
      Numbers(numbers.box_dims).first(rank), Numbers(numbers.element_strides).first(rank)};
  RETURN_IF_ERROR(CheckAllPositive(resolved));
  RETURN_IF_ERROR(CheckGlobal(shape, numbers.address, resolved));
  RETURN_IF_ERROR(CheckNesting(shape, resolved));
  RETURN_IF_ERROR(CheckBox(shape, resolved));
  return TmaArguments{.data_type = shape.element_type->driver_value,
                      .rank = shape.rank,
                      .address = numbers.address,
                      .global_dims = Narrow<std::uint64_t>(numbers.global_dims),
                      .global_strides = Narrow<std::uint64_t>(numbers.global_strides),
                      .box_dims = Narrow<std::uint32_t>(numbers.box_dims),
                      .element_strides = Narrow<std::uint32_t>(numbers.element_strides),
                      .interleave = static_cast<int>(shape.interleave),
                      .swizzle = static_cast<int>(shape.swizzle),
                      .l2_promotion = static_cast<int>(shape.l2_promotion),
                      .oob_fill = shape.oob_fill == TmaOobFill::kNanRequestZeroFma ? 1 : 0};
}

Result<TmaArguments> EvaluateTma(const TmaPlan& plan, LiveFrame frame) {
  ASSIGN_OR_RETURN(const LiveTensor* tensor, TensorAt(frame, plan.binding));
  TmaNumbers numbers{.address = tensor->address};
  RETURN_IF_ERROR(EvaluateList(plan.global_dims, frame, numbers.global_dims));
  RETURN_IF_ERROR(EvaluateList(plan.global_strides, frame, numbers.global_strides));
  RETURN_IF_ERROR(EvaluateList(plan.box_dims, frame, numbers.box_dims));
  RETURN_IF_ERROR(EvaluateList(plan.element_strides, frame, numbers.element_strides));
  return ResolveTma(ShapeOf(plan), numbers);
}

Result<TmaArguments> ParseTmaDescriptor(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {
      "address",         "element_type", "global_dims", "global_strides", "box_dims",
      "element_strides", "interleave",   "swizzle",     "l2_promotion",   "oob_fill"};
  if (!value.is_object()) {
    return Fail("tm.fields", fmt::format("a descriptor is a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("tm.fields", problem->message, path.where(), problem->hint);
  }
  TmaNumbers numbers;
  ASSIGN_OR_RETURN(numbers.address, ReadAddress(value.Find("address"), path.Key("address")));
  ASSIGN_OR_RETURN(const std::size_t rank,
                   ReadNumbers(value, "global_dims", path, numbers.global_dims));
  ASSIGN_OR_RETURN(const std::size_t strides,
                   ReadNumbers(value, "global_strides", path, numbers.global_strides));
  ASSIGN_OR_RETURN(const std::size_t boxes, ReadNumbers(value, "box_dims", path, numbers.box_dims));
  ASSIGN_OR_RETURN(const std::size_t element_strides,
                   ReadNumbers(value, "element_strides", path, numbers.element_strides));
  if (rank < 1 || rank > kMaxTmaRank) {
    return Fail("tm.rank", fmt::format("a tensor map has rank 1..{}, not {}", kMaxTmaRank, rank),
                path.Key("global_dims").where());
  }
  if (strides != rank - 1 || boxes != rank || element_strides != rank) {
    return Fail("tm.exprs", fmt::format("the lists do not fit rank {}", rank), path.where());
  }
  ASSIGN_OR_RETURN(const TmaWords words, ParseTmaWords(value, path));
  return ResolveTma({.rank = static_cast<int>(rank),
                     .element_type = words.element_type,
                     .interleave = words.interleave,
                     .swizzle = words.swizzle,
                     .l2_promotion = words.l2_promotion,
                     .oob_fill = words.oob_fill},
                    numbers);
}

}  // namespace cacheon::artifact
