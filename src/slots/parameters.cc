// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace cacheon::slots {
namespace {

std::unexpected<Error> FailMissing(std::string_view name) {
  return FailParameter(name, fmt::format("the case has no parameter `{}`", name));
}

bool Contains(std::initializer_list<std::string_view> list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

}  // namespace

std::unexpected<Error> FailParameter(std::string_view name, std::string message) {
  return Fail("slot.parameter", std::move(message),
              {.key_path = fmt::format("parameters.{}", name)});
}

const Json* ParameterReader::Lookup(std::string_view name) {
  known_.emplace(name);
  const auto found = case_.parameters.find(name);
  return found == case_.parameters.end() ? nullptr : &found->second;
}

Result<std::int64_t> ParameterReader::Int(std::string_view name, std::int64_t minimum,
                                          std::optional<std::int64_t> fallback) {
  const Json* value = Lookup(name);
  if (value == nullptr) {
    if (fallback) return *fallback;
    return FailMissing(name);
  }
  if (!value->is_int64()) return FailParameter(name, fmt::format("`{}` is no integer", name));
  if (value->as_int64() < minimum) {
    return FailParameter(name,
                         fmt::format("`{}` is {}, below {}", name, value->as_int64(), minimum));
  }
  return value->as_int64();
}

Result<double> ParameterReader::Float(std::string_view name, std::optional<double> fallback) {
  const Json* value = Lookup(name);
  if (value == nullptr) {
    if (fallback) return *fallback;
    return FailMissing(name);
  }
  if (!value->is_number() || !std::isfinite(value->as_double())) {
    return FailParameter(name, fmt::format("`{}` is no finite number", name));
  }
  return value->as_double();
}

Result<bool> ParameterReader::Bool(std::string_view name, std::optional<bool> fallback) {
  const Json* value = Lookup(name);
  if (value == nullptr) {
    if (fallback) return *fallback;
    return FailMissing(name);
  }
  if (!value->is_bool()) return FailParameter(name, fmt::format("`{}` is no bool", name));
  return value->as_bool();
}

Status ParameterReader::Finish() const {
  for (const auto& [name, value] : case_.parameters) {
    if (!known_.contains(name)) {
      return FailParameter(name, fmt::format("the slot has no parameter `{}`; it has {}", name,
                                             fmt::join(known_, ", ")));
    }
  }
  return {};
}

Status RequireLayout(const Case& the_case, std::initializer_list<std::string_view> allowed) {
  if (Contains(allowed, the_case.layout)) return {};
  return Fail("slot.layout",
              fmt::format("the slot has no layout `{}`; it has {}", the_case.layout,
                          fmt::join(allowed, ", ")),
              {.key_path = "layout"});
}

Status RequireProfile(const Case& the_case, std::initializer_list<std::string_view> allowed) {
  if (Contains(allowed, the_case.value_profile)) return {};
  return Fail("slot.value_profile",
              fmt::format("the slot has no value profile `{}`; it has {}", the_case.value_profile,
                          fmt::join(allowed, ", ")),
              {.key_path = "value_profile"});
}

Status RequireCallDType(tensor::DType call_dtype) {
  switch (call_dtype) {
    case tensor::DType::kFloat16:
    case tensor::DType::kBFloat16:
    case tensor::DType::kFloat32:
      return {};
    case tensor::DType::kBool:
    case tensor::DType::kUInt8:
    case tensor::DType::kInt32:
    case tensor::DType::kInt64:
    case tensor::DType::kFloat64:
    case tensor::DType::kFloat8E4M3:
    case tensor::DType::kFloat4E2M1x2:
      break;
  }
  return Fail("slot.call_dtype",
              fmt::format("a call is made in float16, bfloat16 or float32, not in {}",
                          tensor::Name(call_dtype)),
              {.key_path = "dtype"});
}

}  // namespace cacheon::slots
