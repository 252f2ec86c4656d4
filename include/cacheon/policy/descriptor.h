// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A call descriptor: what is known about one call of a slot, as canonical values of fields. It is
// built on the trusted side, from the tensors of the call and the model, never from the bundle.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cacheon/core/result.h"
#include "cacheon/policy/field.h"

namespace cacheon::policy {

// A map from fields to values. A field that is not set is unknown. Public fields are stored by
// index, so that a call site can keep one descriptor and overwrite its counts without allocating.
class CallDescriptor {
 public:
  CallDescriptor() = default;

  // From a map of raw names to raw values. A null value means unknown and is left out. Codes:
  // cap.field_name, cap.value, and desc.conflict when two spellings of one field disagree. The key
  // path of an error is the raw name. `values` must be an object or it is cap.object.
  static Result<CallDescriptor> FromJson(const Json& values);

  // Overwrites a numeric field. `count` is at least 0.
  void Set(Field field, std::int64_t count);
  // Overwrites a text field with the canonical form of `text`, which is not blank.
  void Set(Field field, std::string_view text);
  // Overwrites the field with this canonical name with a canonical value.
  void Set(std::string_view canonical_name, Scalar value);
  void Clear(Field field);

  // nullptr: unknown.
  const Scalar* Find(Field field) const {
    const std::optional<Scalar>& value = values_[static_cast<std::size_t>(field)];
    return value ? &*value : nullptr;
  }
  const Scalar* Find(std::string_view canonical_name) const;

  // Field names and values, in name order.
  Json ToJson() const;
  // "dtype='bfloat16', num_tokens=64".
  std::string Text() const;

  friend bool operator==(const CallDescriptor&, const CallDescriptor&) = default;

 private:
  std::array<std::optional<Scalar>, kFieldCount> values_;
  std::map<std::string, Scalar, std::less<>> private_values_;
};

}  // namespace cacheon::policy
