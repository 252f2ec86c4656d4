// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/specialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

Status CheckValueType(const Json& value, ScalarType type, const KeyPath& path) {
  const auto wrong_type = [&](std::string_view wanted) {
    return Fail("pl.spec_type",
                fmt::format("a {} scalar is specialised on {}, not {}", ScalarTypeName(type),
                            wanted, Spell(&value)),
                path.where());
  };
  switch (ClassOf(type)) {
    case ScalarClass::kBool:
      if (!value.is_bool()) return wrong_type("a bool");
      return {};
    case ScalarClass::kInteger:
      if (!value.is_integer()) return wrong_type("an integer");
      if (IsIntegerOf(type, value)) return {};
      return Fail("pl.spec_range",
                  fmt::format("{} is outside the range of {}", Spell(&value), ScalarTypeName(type)),
                  path.where());
    case ScalarClass::kFloat:
      if (!value.is_number()) return wrong_type("a number");
      if (std::isfinite(value.as_double())) return {};
      return Fail("pl.spec_finite", "a predicate on a float must be finite", path.where());
  }
  std::unreachable();
}

// Exact: a double is never rounded to an integer or back.
bool EqualNumbers(const Json& a, const Json& b) {
  if (a == b) return true;
  if (!a.is_number() || !b.is_number() || a.is_float() == b.is_float()) return false;
  const Json& integer = a.is_float() ? b : a;
  const double number = a.is_float() ? a.as_float() : b.as_float();
  constexpr double kTwo63 = 9223372036854775808.0;
  if (integer.is_int64()) {
    return number >= -kTwo63 && number < kTwo63 && number == std::trunc(number) &&
           static_cast<std::int64_t>(number) == integer.as_int64();
  }
  return std::isfinite(number) && number == std::trunc(number) &&
         fmt::format("{:.0f}", number) == integer.as_big_integer().decimal;
}

const Predicate* Find(const std::vector<Predicate>& predicates, std::string_view source) {
  const auto found = std::ranges::lower_bound(predicates, source, {}, &Predicate::source);
  return found != predicates.end() && found->source == source ? &*found : nullptr;
}

}  // namespace

Result<std::vector<Predicate>> ParseSpecializes(const Json::Object& table, const CallAbi& abi,
                                                const KeyPath& path) {
  std::vector<Predicate> predicates;
  for (const auto& [source, value] : table) {
    const KeyPath value_path = path.Key(source);
    const CallResource* resource = FindResource(abi, source);
    if (resource == nullptr) {
      return Fail("pl.spec_unknown", fmt::format("`{}` is no resource of {}", source, abi.slot),
                  value_path.where());
    }
    if (resource->kind != ResourceKind::kScalar || resource->capability_field.empty()) {
      return Fail("pl.spec_fact",
                  fmt::format("`{}` has no capability field to specialise on", source),
                  value_path.where());
    }
    RETURN_IF_ERROR(CheckValueType(value, *resource->scalar_type, value_path));
    predicates.push_back({source, value});
  }
  return predicates;
}

bool EqualAcrossTypes(const std::vector<Predicate>& a, const std::vector<Predicate>& b) {
  return std::ranges::equal(a, b, [](const Predicate& left, const Predicate& right) {
    return left.source == right.source && EqualNumbers(left.value, right.value);
  });
}

bool AreAmbiguous(const std::vector<Predicate>& a, const std::vector<Predicate>& b) {
  std::size_t shared = 0;
  for (const Predicate& predicate : a) {
    const Predicate* other = Find(b, predicate.source);
    if (other == nullptr) continue;
    if (other->value != predicate.value) return false;
    ++shared;
  }
  // All shared values are equal: fine only when one set lies strictly inside the other.
  return a.size() == b.size() || shared != std::min(a.size(), b.size());
}

}  // namespace cacheon::artifact
