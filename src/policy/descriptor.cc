// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/descriptor.h"

#include <fmt/format.h>

#include <utility>

namespace cacheon::policy {

Result<CallDescriptor> CallDescriptor::FromJson(const Json& values) {
  if (!values.is_object()) return Fail("cap.object", "a call descriptor must be an object");
  CallDescriptor descriptor;
  for (const auto& [raw_name, raw_value] : values.as_object()) {
    Result<std::string> name = CanonicalFieldName(raw_name);
    if (!name) return Fail(std::move(name).error().At({.key_path = raw_name}));
    if (raw_value.is_null()) continue;
    Result<Scalar> value = CanonicalValue(*name, raw_value);
    if (!value) return Fail(std::move(value).error().At({.key_path = raw_name}));
    const Scalar* earlier = descriptor.Find(*name);
    if (earlier != nullptr && *earlier != *value) {
      return Fail("desc.conflict",
                  fmt::format("`{}` is {} here and {} under another spelling", *name,
                              ScalarText(*value), ScalarText(*earlier)),
                  {.key_path = raw_name});
    }
    descriptor.Set(*name, *std::move(value));
  }
  return descriptor;
}

void CallDescriptor::Set(Field field, std::int64_t count) {
  CACHEON_CHECK(IsNumeric(field) && count >= 0, "a call site gave a field a count it cannot have");
  values_[static_cast<std::size_t>(field)] = count;
}

void CallDescriptor::Set(Field field, std::string_view text) {
  std::optional<std::string> canonical = CanonicalText(FieldName(field), text);
  CACHEON_CHECK(!IsNumeric(field) && canonical, "a call site gave a field text it cannot have");
  values_[static_cast<std::size_t>(field)] = *std::move(canonical);
}

void CallDescriptor::Set(std::string_view canonical_name, Scalar value) {
  if (const std::optional<Field> field = FindField(canonical_name)) {
    values_[static_cast<std::size_t>(*field)] = std::move(value);
  } else {
    private_values_.insert_or_assign(std::string(canonical_name), std::move(value));
  }
}

void CallDescriptor::Clear(Field field) { values_[static_cast<std::size_t>(field)].reset(); }

const Scalar* CallDescriptor::Find(std::string_view canonical_name) const {
  if (const std::optional<Field> field = FindField(canonical_name)) return Find(*field);
  const auto found = private_values_.find(canonical_name);
  return found == private_values_.end() ? nullptr : &found->second;
}

Json CallDescriptor::ToJson() const {
  Json::Object object;
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (values_[i]) object.emplace(FieldName(static_cast<Field>(i)), ScalarToJson(*values_[i]));
  }
  for (const auto& [name, value] : private_values_) object.emplace(name, ScalarToJson(value));
  return object;
}

std::string CallDescriptor::Text() const {
  const Json values = ToJson();
  std::string text;
  for (const auto& [name, value] : values.as_object()) {
    if (!text.empty()) text += ", ";
    text += fmt::format(
        "{}={}", name,
        value.is_string() ? fmt::format("'{}'", value.as_string()) : DocumentJson(value));
  }
  return text;
}

}  // namespace cacheon::policy
