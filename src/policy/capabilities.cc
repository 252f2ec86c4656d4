// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The predicates of a metadata document's `capabilities`. A value is short for one of the two
// object forms: a scalar for {"exact": v}, an array for {"one_of": [...]}.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cacheon/bundle/key_path.h"
#include "cacheon/bundle/text.h"
#include "cacheon/policy/eligibility.h"

namespace cacheon::policy {
namespace {

std::string Path(std::string_view raw_name, std::string_view key = {}) {
  std::string path = bundle::JoinKey("capabilities", raw_name);
  return key.empty() ? path : bundle::JoinKey(path, key);
}

// One entry of `capabilities`: the canonical field and the name as it is spelt.
struct Entry {
  const std::string& field;
  const std::string& raw_name;

  Place At(std::string_view key = {}) const { return {.key_path = Path(raw_name, key)}; }
};

Result<Scalar> ReadValue(const Entry& entry, const Json& raw, std::string_view key) {
  Result<Scalar> value = CanonicalValue(entry.field, raw);
  if (!value) return Fail(std::move(value).error().At(entry.At(key)));
  return value;
}

Result<Predicate> ReadSet(const Entry& entry, const Json& items, std::string_view key) {
  if (!items.is_array() || items.as_array().empty()) {
    return Fail(
        "cap.one_of_empty",
        fmt::format("`one_of` for `{}` must be a list with at least one value", entry.field),
        entry.At(key));
  }
  Predicate predicate{.field = entry.field};
  for (const Json& item : items.as_array()) {
    ASSIGN_OR_RETURN(Scalar value, ReadValue(entry, item, key));
    predicate.allowed.push_back(std::move(value));
  }
  std::ranges::sort(predicate.allowed);
  const auto repeated = std::ranges::unique(predicate.allowed);
  predicate.allowed.erase(repeated.begin(), repeated.end());
  return predicate;
}

Result<Predicate> ReadExact(const Entry& entry, const Json& raw, std::string_view key) {
  ASSIGN_OR_RETURN(Scalar value, ReadValue(entry, raw, key));
  return Predicate{.field = entry.field, .allowed = {std::move(value)}};
}

Result<Predicate> ReadRange(const Entry& entry, const Json* min, const Json* max) {
  const std::optional<Field> known = FindField(entry.field);
  if (!known || !IsNumeric(*known)) {
    return Fail("cap.range_context",
                fmt::format("`{}` holds text, which has no order", entry.field), entry.At(),
                "list the values with `one_of`");
  }
  Predicate predicate{.field = entry.field};
  if (min != nullptr) {
    ASSIGN_OR_RETURN(const Scalar value, ReadValue(entry, *min, "min"));
    predicate.min = std::get<std::int64_t>(value);
  }
  if (max != nullptr) {
    ASSIGN_OR_RETURN(const Scalar value, ReadValue(entry, *max, "max"));
    predicate.max = std::get<std::int64_t>(value);
  }
  if (predicate.min && predicate.max && *predicate.min > *predicate.max) {
    return Fail("cap.range_inverted",
                fmt::format("`min` {} is above `max` {}", *predicate.min, *predicate.max),
                entry.At());
  }
  return predicate;
}

Result<Predicate> ReadObject(const Entry& entry, const Json& object) {
  for (const auto& [key, unused] : object.as_object()) {
    if (key != "exact" && key != "one_of" && key != "min" && key != "max") {
      return Fail("cap.predicate_keys",
                  fmt::format("a predicate has no key {}", bundle::Quoted(key)), entry.At(key),
                  "use `exact`, `one_of`, or `min` and `max`");
    }
  }
  const Json* exact = object.Find("exact");
  const Json* one_of = object.Find("one_of");
  const Json* min = object.Find("min");
  const Json* max = object.Find("max");
  const bool set = exact != nullptr || one_of != nullptr;
  const bool range = min != nullptr || max != nullptr;
  if (set && range) {
    return Fail("cap.mixed", "a predicate is either a set of values or a range", entry.At());
  }
  if (exact != nullptr && one_of != nullptr) {
    return Fail("cap.exact_and_one_of", "a predicate has `exact` or `one_of`, not both",
                entry.At());
  }
  if (!set && !range) {
    return Fail("cap.no_predicate", fmt::format("nothing is said about `{}`", entry.field),
                entry.At(), "use `exact`, `one_of`, or `min` and `max`");
  }
  if (range) return ReadRange(entry, min, max);
  return exact != nullptr ? ReadExact(entry, *exact, "exact") : ReadSet(entry, *one_of, "one_of");
}

Result<Predicate> ReadPredicate(const Entry& entry, const Json& value) {
  if (value.is_object()) return ReadObject(entry, value);
  if (value.is_array()) return ReadSet(entry, value, {});
  return ReadExact(entry, value, {});
}

std::string NearestFieldHint(std::string_view name) {
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < kFieldCount; ++i) fields.push_back(FieldName(static_cast<Field>(i)));
  const std::string_view nearest = bundle::NearestKey(name, fields);
  return nearest.empty() ? "" : fmt::format("did you mean `{}`?", nearest);
}

}  // namespace

Result<std::vector<Predicate>> ParseCapabilities(const Json& capabilities) {
  std::vector<Predicate> predicates;
  if (capabilities.is_null()) return predicates;
  if (!capabilities.is_object()) {
    return Fail("cap.object", "`capabilities` must be an object", {.key_path = "capabilities"});
  }
  for (const auto& [raw_name, value] : capabilities.as_object()) {
    Result<std::string> field = CanonicalFieldName(raw_name);
    if (!field) return Fail(std::move(field).error().At({.key_path = Path(raw_name)}));
    if (std::ranges::find(predicates, *field, &Predicate::field) != predicates.end()) {
      return Fail("cap.duplicate_field",
                  fmt::format("`{}` is constrained under another spelling too", *field),
                  {.key_path = Path(raw_name)});
    }
    if (!FindField(*field)) {
      return Fail(
          "cap.unknown_field",
          fmt::format("{} is not a field that metadata may constrain", bundle::Quoted(*field)),
          {.key_path = Path(raw_name)}, NearestFieldHint(*field));
    }
    ASSIGN_OR_RETURN(Predicate predicate,
                     ReadPredicate({.field = *field, .raw_name = raw_name}, value));
    predicates.push_back(std::move(predicate));
  }
  std::ranges::sort(predicates, {}, &Predicate::field);
  return predicates;
}

}  // namespace cacheon::policy
