// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The canonical form and the digest of device plans.

#include <utility>

#include "cacheon/artifact/device_plan.h"

namespace cacheon::artifact {
namespace {

Json DimsToJson(const Dim3Plan& dims) {
  return Json::Object{{"x", ExpressionToJson(dims.x)},
                      {"y", ExpressionToJson(dims.y)},
                      {"z", ExpressionToJson(dims.z)}};
}

Json KernelToJson(const KernelContract& kernel) {
  Json::Array sizes;
  for (const int size : kernel.parameter_sizes) sizes.emplace_back(size);
  return Json::Object{{"name", kernel.name}, {"parameter_sizes", std::move(sizes)}};
}

Json LaunchToJson(const LaunchPlan& launch, std::size_t ordinal, const std::string& kernel) {
  Json::Array parameters;
  for (const Parameter& parameter : launch.parameters) {
    parameters.push_back(ParameterToJson(parameter));
  }
  return Json::Object{
      {"attributes", LaunchAttributesToJson(launch.attributes)},
      {"block", DimsToJson(launch.block)},
      {"cluster", launch.cluster ? DimsToJson(*launch.cluster) : Json()},
      {"grid", DimsToJson(launch.grid)},
      {"kernel", kernel},
      {"ordinal", static_cast<std::int64_t>(ordinal)},
      {"parameters", std::move(parameters)},
      {"shared_mem_bytes", ExpressionToJson(launch.shared_mem_bytes)},
      {"stream_binding", launch.stream_binding ? Json(*launch.stream_binding) : Json()}};
}

}  // namespace

Json DevicePlanToJson(const DevicePlan& plan) {
  Json::Array kernels;
  for (const KernelContract& kernel : plan.kernels) kernels.push_back(KernelToJson(kernel));
  Json::Array launches;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const auto kernel = static_cast<std::size_t>(plan.launches[i].kernel);
    launches.push_back(LaunchToJson(plan.launches[i], i, plan.kernels[kernel].name));
  }
  return Json::Object{{"kernels", std::move(kernels)},
                      {"launches", std::move(launches)},
                      {"schema", kDevicePlanSchema}};
}

std::string DevicePlanDigest(const DevicePlan& plan) {
  Result<std::string> digest = DomainDigest("cacheon.device-launch-plan", DevicePlanToJson(plan));
  CACHEON_CHECK(digest.has_value(), "a checked device plan holds no float and only ASCII names");
  return *std::move(digest);
}

}  // namespace cacheon::artifact
