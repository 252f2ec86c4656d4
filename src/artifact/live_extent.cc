// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/live_extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "src/artifact/int_math.h"

namespace cacheon::artifact {
namespace {

Result<std::int64_t> TensorFact(const LiveFactor& factor, const LiveTensor& tensor) {
  if (factor.projection == FactorProjection::kRank) return tensor.rank;
  if (factor.projection == FactorProjection::kNumel) {
    if (const auto numel = Numel(tensor.dims())) return *numel;
    return Fail("rx.bound", fmt::format("`{}` has more than 2^63-1 elements", factor.source));
  }
  if (*factor.axis >= tensor.rank) {
    return Fail("rx.axis", fmt::format("axis {} of `{}`, which has rank {}", *factor.axis,
                                       factor.source, tensor.rank));
  }
  return tensor.shape[static_cast<std::size_t>(*factor.axis)];
}

Result<std::int64_t> LiveValueOf(const LiveFactor& factor, std::span<const LiveResource> live) {
  const auto found = std::ranges::find(live, factor.source, &LiveResource::name);
  if (found == live.end()) {
    return Fail("rx.unavailable", fmt::format("`{}` is not part of the call", factor.source));
  }
  if (const auto* tensor = std::get_if<LiveTensor>(&found->value)) {
    return TensorFact(factor, *tensor);
  }
  if (const auto* group = std::get_if<LiveGroup>(&found->value)) return group->size;
  if (const auto* integer = std::get_if<std::int64_t>(&found->value)) return *integer;
  if (std::holds_alternative<std::uint64_t>(found->value)) return INT64_MAX;
  return Fail("rx.not_int", fmt::format("`{}` is no integer", factor.source));
}

Result<std::int64_t> FactorOf(const std::variant<StaticFactor, LiveFactor>& factor,
                              std::span<const LiveResource> live) {
  if (const auto* fixed = std::get_if<StaticFactor>(&factor)) return fixed->value;
  const auto& dynamic = std::get<LiveFactor>(factor);
  ASSIGN_OR_RETURN(const std::int64_t value, LiveValueOf(dynamic, live));
  if (value >= 0 && value <= dynamic.upper_bound) return value;
  return Fail("rx.bound",
              fmt::format("`{}` of `{}` is outside 0..{}", FactorProjectionName(dynamic.projection),
                          dynamic.source, dynamic.upper_bound));
}

// No product can overflow and no extent can exceed its maximum: each factor is at most the number
// that the plan's maxima were computed and checked with.
Result<std::int64_t> ExtentOf(const Extent& extent, std::span<const LiveResource> live,
                              const KeyPath& path) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < extent.factors.size(); ++i) {
    const KeyPath factors_path = path.Key("factors");
    Result<std::int64_t> value = FactorOf(extent.factors[i], live);
    if (!value) return Fail(std::move(value).error().At(factors_path.At(i).where()));
    product *= *value;
  }
  return CeilDiv(product, extent.divisor);
}

}  // namespace

Result<LiveShape> EvaluateShape(const ArtifactResource& resource,
                                std::span<const LiveResource> live) {
  LiveShape shape{.rank = static_cast<int>(resource.shape.size())};
  const KeyPath path("shape");
  for (std::size_t i = 0; i < resource.shape.size(); ++i) {
    ASSIGN_OR_RETURN(shape.dims[i], ExtentOf(resource.shape[i], live, path.At(i)));
  }
  std::int64_t elements = 1;
  for (int i = 0; i < shape.rank; ++i) elements *= shape.dims[static_cast<std::size_t>(i)];
  shape.payload_bytes = elements * resource.element_bytes;
  shape.reservation_bytes = shape.payload_bytes + resource.alignment - 1;
  return shape;
}

}  // namespace cacheon::artifact
