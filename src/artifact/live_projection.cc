// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/live_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "src/artifact/int_math.h"

namespace cacheon::artifact {
namespace {

Result<const LiveValue*> Find(std::string_view name, std::span<const LiveResource> live) {
  const auto found = std::ranges::find(live, name, &LiveResource::name);
  if (found != live.end()) return &found->value;
  return Fail("rx.unavailable", fmt::format("`{}` is not part of the call", name));
}

Result<const LiveTensor*> TensorOf(const LiveValue& value, std::string_view name) {
  if (const auto* tensor = std::get_if<LiveTensor>(&value)) return tensor;
  return Fail("tf.inspect", fmt::format("`{}` is no tensor", name));
}

Status CheckAlignment(const Binding& binding, std::uint64_t address) {
  const auto align = static_cast<std::uint64_t>(binding.assumed_align.value_or(1));
  if (address % align == 0) return {};
  return Fail("rt.align",
              fmt::format("`{}` lies at {:#x}, no multiple of {}", binding.source, address, align));
}

// Inserts a dim of size 1 before dim `dim`, counted from the end of the result when negative.
Status Unsqueeze(int dim, LiveTensor& tensor) {
  const int rank = tensor.rank;
  const int place = dim < 0 ? dim + rank + 1 : dim;
  if (place < 0 || place > rank || rank == kMaxTensorRank) {
    return Fail("rt.unsqueeze", fmt::format("no unsqueeze at {} of rank {}", dim, rank));
  }
  const auto at = static_cast<std::size_t>(place);
  std::optional<std::int64_t> stride = 1;
  if (place < rank) stride = CheckedMul(tensor.shape[at], tensor.stride[at]);
  if (!stride) return Fail("rt.unsqueeze", fmt::format("the stride of dim {} overflows", dim));
  const auto end = static_cast<std::ptrdiff_t>(rank);
  std::move_backward(tensor.shape.begin() + place, tensor.shape.begin() + end,
                     tensor.shape.begin() + end + 1);
  std::move_backward(tensor.stride.begin() + place, tensor.stride.begin() + end,
                     tensor.stride.begin() + end + 1);
  tensor.shape[at] = 1;
  tensor.stride[at] = *stride;
  ++tensor.rank;
  return {};
}

Result<LiveValue> ProjectTensor(const Binding& binding, const LiveValue& source) {
  ASSIGN_OR_RETURN(const LiveTensor* found, TensorOf(source, binding.source));
  LiveTensor tensor = *found;
  RETURN_IF_ERROR(CheckAlignment(binding, tensor.address));
  for (const int dim : binding.unsqueeze) RETURN_IF_ERROR(Unsqueeze(dim, tensor));
  return LiveValue(tensor);
}

Result<LiveValue> ProjectPointer(const Binding& binding, const LiveValue& source) {
  std::uint64_t address = 0;
  if (binding.projection == Projection::kDevicePtr) {
    ASSIGN_OR_RETURN(const LiveTensor* tensor, TensorOf(source, binding.source));
    address = tensor->address;
  } else if (binding.projection == Projection::kIdentity) {
    const auto* wide = std::get_if<std::uint64_t>(&source);
    const auto* narrow = std::get_if<std::int64_t>(&source);
    if (wide == nullptr && (narrow == nullptr || *narrow < 0)) {
      return Fail("rt.cast", fmt::format("`{}` is no address", binding.source));
    }
    address = wide != nullptr ? *wide : static_cast<std::uint64_t>(*narrow);
  } else {
    return Fail("rt.group", fmt::format("no resolver for `{}` of `{}`",
                                        ProjectionName(binding.projection), binding.source));
  }
  RETURN_IF_ERROR(CheckAlignment(binding, address));
  return LiveValue(address);
}

std::unexpected<Error> WrongCast(std::string_view name, ScalarType cast) {
  return Fail("rt.cast",
              fmt::format("the live value of `{}` is no {}", name, ScalarTypeName(cast)));
}

// The value of a scalar of the slot, checked but not narrowed.
Result<LiveValue> CastValue(std::string_view name, ScalarType cast, const LiveValue& value) {
  const auto* narrow = std::get_if<std::int64_t>(&value);
  const auto* wide = std::get_if<std::uint64_t>(&value);
  switch (ClassOf(cast)) {
    case ScalarClass::kBool:
      if (std::holds_alternative<bool>(value)) return value;
      break;
    case ScalarClass::kInteger:
      if (narrow != nullptr && IsIntegerOf(cast, Json(*narrow))) return value;
      if (wide != nullptr && IsIntegerOf(cast, Json(*wide))) return value;
      break;
    case ScalarClass::kFloat:
      if (narrow != nullptr) return LiveValue(static_cast<double>(*narrow));
      if (wide != nullptr) return LiveValue(static_cast<double>(*wide));
      if (const auto* number = std::get_if<double>(&value);
          number != nullptr && std::isfinite(*number)) {
        return value;
      }
      break;
  }
  return WrongCast(name, cast);
}

Result<std::int64_t> TensorFact(Projection projection, std::optional<int> axis,
                                std::string_view name, const LiveTensor& tensor) {
  if (projection == Projection::kRank) return tensor.rank;
  if (projection == Projection::kStorageOffset) return tensor.storage_offset;
  if (projection == Projection::kNumel) {
    if (const auto numel = Numel(tensor.dims())) return *numel;
    return Fail("ev.range", fmt::format("`{}` has more than 2^63-1 elements", name));
  }
  if (*axis >= tensor.rank) {
    return Fail("ev.axis_live",
                fmt::format("axis {} of `{}`, which has rank {}", *axis, name, tensor.rank));
  }
  const auto at = static_cast<std::size_t>(*axis);
  return projection == Projection::kShape ? tensor.shape[at] : tensor.stride[at];
}

Result<std::int64_t> GroupFact(Projection projection, std::string_view name,
                               const LiveValue& source) {
  const auto* group = std::get_if<LiveGroup>(&source);
  if (group == nullptr || group->rank < 0 || group->rank >= group->size) {
    return Fail("rt.group", fmt::format("`{}` has no valid rank and size", name));
  }
  return projection == Projection::kRank ? group->rank : group->size;
}

Result<LiveValue> ProjectScalar(Projection projection, std::optional<int> axis, ScalarType cast,
                                std::string_view name, const LiveValue& source) {
  if (projection == Projection::kValue) return CastValue(name, cast, source);
  std::int64_t fact = 0;
  if (const auto* tensor = std::get_if<LiveTensor>(&source)) {
    ASSIGN_OR_RETURN(fact, TensorFact(projection, axis, name, *tensor));
  } else {
    ASSIGN_OR_RETURN(fact, GroupFact(projection, name, source));
  }
  if (!IsIntegerOf(cast, Json(fact))) return WrongCast(name, cast);
  return LiveValue(fact);
}

Result<LiveValue> ProjectAggregate(const Binding& binding, std::span<const LiveResource> live) {
  for (const DynamicLeaf* leaf : DynamicLeavesOf(binding)) {
    ASSIGN_OR_RETURN(const LiveValue* source, Find(leaf->source, live));
    RETURN_IF_ERROR(ProjectScalar(leaf->projection, leaf->axis, leaf->cast, leaf->source, *source));
  }
  return LiveValue(UnreadableValue{});
}

}  // namespace

Result<LiveValue> ProjectBinding(const Binding& binding, std::span<const LiveResource> live) {
  if (binding.kind == BindingKind::kAggregate) return ProjectAggregate(binding, live);
  ASSIGN_OR_RETURN(const LiveValue* source, Find(binding.source, live));
  switch (binding.kind) {
    case BindingKind::kTensor:
      return ProjectTensor(binding, *source);
    case BindingKind::kPointer:
      return ProjectPointer(binding, *source);
    case BindingKind::kScalar:
      return ProjectScalar(binding.projection, binding.axis, *binding.cast, binding.source,
                           *source);
    case BindingKind::kStream:
    case BindingKind::kGroup:
    case BindingKind::kOpaque:
      return *source;
    case BindingKind::kAggregate:
      break;
  }
  std::unreachable();
}

Result<std::vector<LiveValue>> ProjectFrame(const std::vector<Binding>& bindings,
                                            std::span<const LiveResource> live) {
  std::vector<LiveValue> frame;
  frame.reserve(bindings.size());
  const KeyPath path("bindings");
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    Result<LiveValue> value = ProjectBinding(bindings[i], live);
    if (!value) return Fail(std::move(value).error().At(path.At(i).where()));
    frame.push_back(*std::move(value));
  }
  return frame;
}

}  // namespace cacheon::artifact
