// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/extent.h"

#include <fmt/format.h>

#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

using Factor = std::variant<StaticFactor, LiveFactor>;

// In the order of FactorProjection.
constexpr std::string_view kProjectionNames[] = {"shape", "numel", "rank", "value", "size"};

std::int64_t MaximumOf(const Factor& factor) {
  const auto* fixed = std::get_if<StaticFactor>(&factor);
  return fixed != nullptr ? fixed->value : std::get<LiveFactor>(factor).upper_bound;
}

Result<Factor> ParseStaticFactor(const Json& factor, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"static"};
  if (const auto problem = FindFieldProblem(factor.as_object(), kKeys)) {
    return Fail("rs.factor_fields", problem->message, path.where(),
                "a static factor is exactly { static = NUMBER }");
  }
  const auto value = ExactInteger(factor.Find("static"), 1, kMaxFactor);
  if (!value) {
    return Fail("rs.static",
                fmt::format("a static factor is an integer in 1..{}, not {}", kMaxFactor,
                            Spell(factor.Find("static"))),
                path.Key("static").where());
  }
  return Factor{StaticFactor{*value}};
}

Result<std::optional<int>> ParseFactorAxis(const Json& factor, FactorProjection projection,
                                           const KeyPath& path) {
  const Json* axis = Present(factor, "axis");
  if (projection != FactorProjection::kShape && axis == nullptr) return std::nullopt;
  const auto number = ExactInteger(axis, 0, kMaxAxis);
  if (projection == FactorProjection::kShape && number) return static_cast<int>(*number);
  return Fail("rs.axis",
              projection == FactorProjection::kShape
                  ? fmt::format("`shape` needs an axis of 0..{}, not {}", kMaxAxis, Spell(axis))
                  : fmt::format("`{}` takes no axis", FactorProjectionName(projection)),
              path.Key("axis").where());
}

Result<Factor> ParseLiveFactor(const Json& factor, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"source", "projection", "upper_bound"};
  static constexpr std::string_view kOptional[] = {"axis"};
  if (const auto problem = FindFieldProblem(factor.as_object(), kRequired, kOptional)) {
    return Fail("rs.factor_fields", problem->message, path.where(), problem->hint);
  }
  const Json* source = factor.Find("source");
  if (!IsSourceName(TextOf(source))) {
    return Fail("bd.source_name", fmt::format("{} is no resource name", Spell(source)),
                path.Key("source").where());
  }
  const auto projection = IndexOf(kProjectionNames, factor.Find("projection"));
  if (!projection) {
    return Fail("rs.projection",
                fmt::format("a factor projects {}, not {}", JoinNames(kProjectionNames),
                            Spell(factor.Find("projection"))),
                path.Key("projection").where());
  }
  const auto upper = ExactInteger(factor.Find("upper_bound"), 1, kMaxFactor);
  if (!upper) {
    return Fail("rs.upper",
                fmt::format("`upper_bound` is an integer in 1..{}, not {}", kMaxFactor,
                            Spell(factor.Find("upper_bound"))),
                path.Key("upper_bound").where());
  }
  LiveFactor live{.source = std::string(TextOf(source)),
                  .projection = static_cast<FactorProjection>(*projection),
                  .upper_bound = *upper};
  ASSIGN_OR_RETURN(live.axis, ParseFactorAxis(factor, live.projection, path));
  return Factor{std::move(live)};
}

Result<Factor> ParseFactor(const Json& factor, const KeyPath& path) {
  if (!factor.is_object()) {
    return Fail("rs.factor_type", fmt::format("a factor is a table, not {}", Spell(&factor)),
                path.where());
  }
  return factor.Find("static") != nullptr ? ParseStaticFactor(factor, path)
                                          : ParseLiveFactor(factor, path);
}

Status ParseFactors(const Json& extent, const KeyPath& path, Extent& result) {
  const Json* factors = extent.Find("factors");
  if (!factors->is_array()) {
    return Fail("rs.factors_type", fmt::format("`factors` is a list, not {}", Spell(factors)),
                path.where());
  }
  for (std::size_t i = 0; i < factors->as_array().size(); ++i) {
    ASSIGN_OR_RETURN(Factor factor, ParseFactor(factors->as_array()[i], path.At(i)));
    result.factors.push_back(std::move(factor));
  }
  if (result.factors.empty() || result.factors.size() > kMaxExtentFactors) {
    return Fail("rs.factor_count",
                fmt::format("an extent has 1..{} factors, not {}", kMaxExtentFactors,
                            result.factors.size()),
                path.where());
  }
  return {};
}

Status ComputeMaximum(const KeyPath& path, Extent& extent) {
  std::int64_t product = 1;
  for (const Factor& factor : extent.factors) {
    if (__builtin_mul_overflow(product, MaximumOf(factor), &product)) {
      return Fail("rs.product", "the largest product of the factors is above 2^63-1", path.where(),
                  "lower an upper bound");
    }
  }
  extent.maximum = product / extent.divisor + (product % extent.divisor != 0 ? 1 : 0);
  if (extent.maximum > kMaxFactor) {
    return Fail("rs.extent_max",
                fmt::format("the largest extent is {}, above {}", extent.maximum, kMaxFactor),
                path.where());
  }
  return {};
}

}  // namespace

std::string_view FactorProjectionName(FactorProjection projection) {
  return kProjectionNames[static_cast<std::size_t>(projection)];
}

Result<Extent> ParseExtent(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"factors"};
  static constexpr std::string_view kOptional[] = {"divisor"};
  if (!value.is_object()) {
    return Fail("rs.extent_type", fmt::format("an extent is a table, not {}", Spell(&value)),
                path.where(), "write { factors = [ { static = 128 } ] }");
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kRequired, kOptional)) {
    return Fail("rs.extent_fields", problem->message, path.where(), problem->hint);
  }
  Extent extent;
  RETURN_IF_ERROR(ParseFactors(value, path.Key("factors"), extent));
  if (const Json* divisor = value.Find("divisor")) {
    const auto number = ExactInteger(divisor, 1, kMaxFactor);
    if (!number) {
      return Fail(
          "rs.divisor",
          fmt::format("a divisor is an integer in 1..{}, not {}", kMaxFactor, Spell(divisor)),
          path.Key("divisor").where());
    }
    extent.divisor = *number;
  }
  RETURN_IF_ERROR(ComputeMaximum(path, extent));
  return extent;
}

}  // namespace cacheon::artifact
