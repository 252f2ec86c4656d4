// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device launch plans (`cacheon.device-launch-plan.v1`): the logical kernels of a CUBIN and the
// launches of one export, as data. Logical kernel names only order the inventory; admission matches
// it to the driver's by ordinal and widths.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/artifact/binding.h"
#include "cacheon/artifact/expression.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/launch.h"
#include "cacheon/artifact/parameter.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr std::string_view kDevicePlanSchema = "cacheon.device-launch-plan.v1";

struct KernelContract {
  std::string name;
  std::vector<int> parameter_sizes;  // bytes
};

struct Dim3Plan {
  Expression x;
  Expression y;
  Expression z;
};

struct LaunchPlan {
  int kernel = 0;  // index into DevicePlan::kernels
  Dim3Plan grid;
  Dim3Plan block;
  std::optional<Dim3Plan> cluster = {};
  Expression shared_mem_bytes;
  std::vector<Parameter> parameters;
  std::optional<std::uint8_t> stream_binding = {};  // absent: the null stream
  LaunchAttributes attributes;
};

struct DevicePlan {
  std::vector<KernelContract> kernels;  // strictly ascending by name, in byte order
  std::vector<LaunchPlan> launches;     // by ordinal
};

// Reads a plan; no binding is looked at. Codes `dp.*`, `kc.*`, ln.attr_* and those of parameters.
Result<DevicePlan> ParseDevicePlan(const Json& value, const KeyPath& path);

// Joins every reference of a plan to its binding, and its capabilities to the provider's. Codes
// `jn.*`.
Status JoinDevicePlan(const DevicePlan& plan, const std::vector<Binding>& bindings,
                      std::span<const std::string_view> provider_capabilities, const KeyPath& path);

// The canonical form, with every key written.
Json DevicePlanToJson(const DevicePlan& plan);

// Digest of the canonical form in the domain `cacheon.device-launch-plan`.
std::string DevicePlanDigest(const DevicePlan& plan);

}  // namespace cacheon::artifact
