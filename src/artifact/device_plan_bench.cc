// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading and joining the largest kind of plan: 1,024 kernels, 256 launches with 16 parameters of 8
// nodes each over 64 bindings. Goal: 20 ms.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "cacheon/artifact/device_plan.h"

namespace cacheon::artifact {
namespace {

Json Node(std::string_view op, Json::Object members) {
  members["op"] = op;
  return members;
}

// Eight nodes over two tensor bindings.
Json EightNodes(int binding) {
  const int other = (binding + 1) % 63;
  const auto pair = [](int a, int b) { return Json::Object{{"operands", Json::Array{a, b}}}; };
  return Json::Object{
      {"nodes", Json::Array{Node("tensor_dim", {{"binding", binding}, {"axis", 0}}),
                            Node("tensor_numel", {{"binding", other}}),
                            Node("const", {{"value", 127}}), Node("add", pair(0, 2)),
                            Node("const", {{"value", 128}}), Node("floor_div", pair(3, 4)),
                            Node("mul", pair(5, 4)), Node("max", pair(6, 1))}},
      {"result", 7},
      {"schema", kExpressionSchema}};
}

Json LargestPlan() {
  constexpr int kKernelCount = 1024;
  constexpr int kLaunchCount = 256;
  constexpr int kParameterCount = 16;
  Json::Array kernels;
  for (int i = 0; i < kKernelCount; ++i) {
    kernels.emplace_back(Json::Object{{"name", fmt::format("kernel_{:04}", i)},
                                      {"parameter_sizes", Json::Array(kParameterCount, Json(8))}});
  }
  Json::Array launches;
  for (int i = 0; i < kLaunchCount; ++i) {
    Json::Array parameters;
    for (int j = 0; j < kParameterCount; ++j) {
      parameters.emplace_back(Json::Object{{"kind", "scalar"},
                                           {"size", 8},
                                           {"scalar_type", "i64"},
                                           {"expression", EightNodes((i + j) % 63)}});
    }
    const Json dims =
        Json::Object{{"x", EightNodes(0)}, {"y", EightNodes(1)}, {"z", EightNodes(2)}};
    launches.emplace_back(Json::Object{{"ordinal", i},
                                       {"kernel", fmt::format("kernel_{:04}", i)},
                                       {"grid", dims},
                                       {"block", dims},
                                       {"shared_mem_bytes", EightNodes(3)},
                                       {"parameters", std::move(parameters)},
                                       {"stream_binding", 63},
                                       {"attributes", Json::Object{}}});
  }
  return Json::Object{{"schema", kDevicePlanSchema},
                      {"kernels", std::move(kernels)},
                      {"launches", std::move(launches)}};
}

std::vector<Binding> SixtyFourBindings() {
  std::vector<Binding> bindings(63, Binding{.source = "input.x"});
  bindings.push_back({.kind = BindingKind::kStream,
                      .projection = Projection::kIdentity,
                      .source = "stream.current"});
  return bindings;
}

void LoadAndJoin(benchmark::State& state) {
  const Json document = LargestPlan();
  const std::vector<Binding> bindings = SixtyFourBindings();
  for (auto _ : state) {
    const Result<DevicePlan> plan = ParseDevicePlan(document, KeyPath("device_plan"));
    const Status joined = JoinDevicePlan(*plan, bindings, {}, KeyPath("device_plan"));
    if (!joined) state.SkipWithError("the plan does not join");
    benchmark::DoNotOptimize(plan->launches.data());
  }
}
BENCHMARK(LoadAndJoin)->Unit(benchmark::kMillisecond);

void Digest(benchmark::State& state) {
  const DevicePlan plan = ParseDevicePlan(LargestPlan(), KeyPath("device_plan")).value();
  for (auto _ : state) benchmark::DoNotOptimize(DevicePlanDigest(plan));
}
BENCHMARK(Digest)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cacheon::artifact
