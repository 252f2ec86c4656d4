// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the parameters of a case and refuses those that the contract forbids, so that planning
// works with checked numbers only. A parameter that nobody asked for is refused as well.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"

namespace cacheon::slots {

// Code of every failure: slot.parameter, at `parameters.NAME`.
class ParameterReader {
 public:
  explicit ParameterReader(const Case& the_case) : case_(the_case) {}

  Result<std::int64_t> Int(std::string_view name, std::int64_t minimum,
                           std::optional<std::int64_t> fallback = {});
  Result<double> Float(std::string_view name, std::optional<double> fallback = {});
  Result<bool> Bool(std::string_view name, std::optional<bool> fallback = {});

  // A parameter that is read elsewhere.
  void Allow(std::string_view name) { known_.emplace(name); }

  // Fails when the case has a parameter that no call above asked for.
  Status Finish() const;

 private:
  const Json* Lookup(std::string_view name);

  const Case& case_;
  std::set<std::string, std::less<>> known_;
};

// The error for a combination of parameters that the contract forbids.
[[nodiscard]] std::unexpected<Error> FailParameter(std::string_view name, std::string message);

// Codes: slot.layout, slot.value_profile, slot.call_dtype.
Status RequireLayout(const Case& the_case, std::initializer_list<std::string_view> allowed);
Status RequireProfile(const Case& the_case, std::initializer_list<std::string_view> allowed);
Status RequireCallDType(tensor::DType call_dtype);

}  // namespace cacheon::slots
