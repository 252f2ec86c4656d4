// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// A launch before its kernel's name is resolved.
struct NamedLaunch {
  std::string kernel;
  std::int64_t ordinal;
  LaunchPlan plan;
};

Result<KernelContract> ParseKernel(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"name", "parameter_sizes"};
  if (!row.is_object()) {
    return Fail("kc.fields", fmt::format("a kernel is a table, not {}", Spell(&row)), path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kKeys)) {
    return Fail("kc.fields", problem->message, path.where(), problem->hint);
  }
  const Json* sizes = row.Find("parameter_sizes");
  const KeyPath sizes_path = path.Key("parameter_sizes");
  if (!sizes->is_array()) {
    return Fail("kc.sizes_type", fmt::format("`parameter_sizes` is a list, not {}", Spell(sizes)),
                sizes_path.where());
  }
  KernelContract kernel{.name = std::string(TextOf(row.Find("name"))), .parameter_sizes = {}};
  if (!IsKernelName(kernel.name)) {
    return Fail("kc.name", fmt::format("{} is no kernel name", Spell(row.Find("name"))),
                path.Key("name").where());
  }
  const Json::Array& list = sizes->as_array();
  if (list.size() > kMaxLaunchParameters) {
    return Fail("kc.sizes",
                fmt::format("a kernel has at most {} parameters, not {}", kMaxLaunchParameters,
                            list.size()),
                sizes_path.where());
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto size = ExactInteger(&list[i], 1, kMaxKernelParameterBytes);
    if (!size) {
      return Fail("kc.sizes",
                  fmt::format("a parameter has 1..{} bytes, not {}", kMaxKernelParameterBytes,
                              Spell(&list[i])),
                  sizes_path.At(i).where());
    }
    kernel.parameter_sizes.push_back(static_cast<int>(*size));
  }
  return kernel;
}

Result<Dim3Plan> ParseDims(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"x", "y", "z"};
  if (!value.is_object()) {
    return Fail("dp.dim_fields", fmt::format("dimensions are a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("dp.dim_fields", problem->message, path.where(), problem->hint);
  }
  Dim3Plan dims;
  ASSIGN_OR_RETURN(dims.x, ParseExpression(*value.Find("x"), path.Key("x")));
  ASSIGN_OR_RETURN(dims.y, ParseExpression(*value.Find("y"), path.Key("y")));
  ASSIGN_OR_RETURN(dims.z, ParseExpression(*value.Find("z"), path.Key("z")));
  return dims;
}

Status ParseParameters(const Json& row, const KeyPath& path, LaunchPlan& plan) {
  const Json::Array& list = row.Find("parameters")->as_array();
  plan.parameters.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(Parameter parameter, ParseParameter(list[i], path.At(i)));
    plan.parameters.push_back(std::move(parameter));
  }
  if (list.size() <= kMaxLaunchParameters) return {};
  return Fail(
      "dp.param_count",
      fmt::format("a launch has at most {} parameters, not {}", kMaxLaunchParameters, list.size()),
      path.where());
}

Status ParseStream(const Json& row, const KeyPath& path, LaunchPlan& plan) {
  const Json* stream = Present(row, "stream_binding");
  if (stream == nullptr) return {};
  constexpr std::int64_t kLast = kMaxBindings - 1;
  const auto index = ExactInteger(stream, 0, kLast);
  if (!index) {
    return Fail("dp.stream_range",
                fmt::format("`stream_binding` is the index of a binding, 0..{}, not {}", kLast,
                            Spell(stream)),
                path.Key("stream_binding").where());
  }
  plan.stream_binding = static_cast<std::uint8_t>(*index);
  return {};
}

Status CheckLaunchTable(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {
      "ordinal",          "kernel",     "grid",           "block",
      "shared_mem_bytes", "parameters", "stream_binding", "attributes"};
  static constexpr std::string_view kOptional[] = {"cluster"};
  if (!row.is_object()) {
    return Fail("dp.inv_fields", fmt::format("a launch is a table, not {}", Spell(&row)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kRequired, kOptional)) {
    return Fail("dp.inv_fields", problem->message, path.where(), problem->hint);
  }
  const Json* parameters = row.Find("parameters");
  if (parameters->is_array()) return {};
  return Fail("dp.inv_params", fmt::format("`parameters` is a list, not {}", Spell(parameters)),
              path.Key("parameters").where());
}

Result<NamedLaunch> ParseLaunch(const Json& row, const KeyPath& path) {
  RETURN_IF_ERROR(CheckLaunchTable(row, path));
  constexpr std::int64_t kLast = kMaxLaunches - 1;
  const auto ordinal = ExactInteger(row.Find("ordinal"), 0, kLast);
  if (!ordinal) {
    return Fail(
        "dp.ordinal_range",
        fmt::format("an ordinal is an integer in 0..{}, not {}", kLast, Spell(row.Find("ordinal"))),
        path.Key("ordinal").where());
  }
  NamedLaunch launch{std::string(TextOf(row.Find("kernel"))), *ordinal, {}};
  if (!IsKernelName(launch.kernel)) {
    return Fail("kc.name", fmt::format("{} is no kernel name", Spell(row.Find("kernel"))),
                path.Key("kernel").where());
  }
  LaunchPlan& plan = launch.plan;
  ASSIGN_OR_RETURN(plan.grid, ParseDims(*row.Find("grid"), path.Key("grid")));
  ASSIGN_OR_RETURN(plan.block, ParseDims(*row.Find("block"), path.Key("block")));
  if (const Json* cluster = Present(row, "cluster")) {
    ASSIGN_OR_RETURN(plan.cluster, ParseDims(*cluster, path.Key("cluster")));
  }
  ASSIGN_OR_RETURN(plan.shared_mem_bytes,
                   ParseExpression(*row.Find("shared_mem_bytes"), path.Key("shared_mem_bytes")));
  RETURN_IF_ERROR(ParseParameters(row, path.Key("parameters"), plan));
  RETURN_IF_ERROR(ParseStream(row, path, plan));
  ASSIGN_OR_RETURN(plan.attributes,
                   ParseLaunchAttributes(*row.Find("attributes"), path.Key("attributes")));
  return launch;
}

Status CheckKernels(const std::vector<KernelContract>& kernels, const KeyPath& path) {
  if (kernels.empty() || kernels.size() > kMaxKernels) {
    return Fail("dp.kernel_count",
                fmt::format("a plan has 1..{} kernels, not {}", kMaxKernels, kernels.size()),
                path.where());
  }
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    if (kernels[i - 1].name < kernels[i].name) continue;
    return Fail("dp.kernel_order",
                fmt::format("`{}` must not stand after `{}`", kernels[i].name, kernels[i - 1].name),
                path.At(i).Key("name").where(), "sort the kernels by name, each once");
  }
  return {};
}

Status CheckWidths(const NamedLaunch& launch, const KernelContract& kernel, const KeyPath& path) {
  const std::vector<int>& sizes = kernel.parameter_sizes;
  const std::vector<Parameter>& parameters = launch.plan.parameters;
  if (parameters.size() != sizes.size()) {
    return Fail("dp.widths",
                fmt::format("kernel `{}` has {} parameters, the launch {}", kernel.name,
                            sizes.size(), parameters.size()),
                path.Key("parameters").where());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (parameters[i].size == sizes[i]) continue;
    return Fail("dp.widths",
                fmt::format("parameter {} of kernel `{}` has {} bytes, the launch gives {}", i,
                            kernel.name, sizes[i], parameters[i].size),
                path.Key("parameters").At(i).Key("size").where());
  }
  return {};
}

// Ordinals, kernel names and widths; resolves each launch's kernel.
Status ResolveLaunches(std::vector<NamedLaunch> launches, const KeyPath& path, DevicePlan& plan) {
  if (launches.empty() || launches.size() > kMaxLaunches) {
    return Fail("dp.launch_count",
                fmt::format("a plan has 1..{} launches, not {}", kMaxLaunches, launches.size()),
                path.where());
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].ordinal == static_cast<std::int64_t>(i)) continue;
    return Fail("dp.ordinals",
                fmt::format("the launch at place {} has ordinal {}", i, launches[i].ordinal),
                path.At(i).Key("ordinal").where(), "number the launches 0, 1, 2, ... in order");
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto kernel =
        std::ranges::lower_bound(plan.kernels, launches[i].kernel, {}, &KernelContract::name);
    if (kernel == plan.kernels.end() || kernel->name != launches[i].kernel) {
      return Fail("dp.kernel_ref",
                  fmt::format("`{}` is none of the plan's kernels", launches[i].kernel),
                  path.At(i).Key("kernel").where());
    }
    RETURN_IF_ERROR(CheckWidths(launches[i], *kernel, path.At(i)));
    launches[i].plan.kernel = static_cast<int>(kernel - plan.kernels.begin());
    plan.launches.push_back(std::move(launches[i].plan));
  }
  return {};
}

}  // namespace

Result<DevicePlan> ParseDevicePlan(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"schema", "kernels", "launches"};
  if (!value.is_object()) {
    return Fail("dp.fields", fmt::format("a device plan is a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("dp.fields", problem->message, path.where(), problem->hint);
  }
  for (const std::string_view key : {"kernels", "launches"}) {
    if (value.Find(key)->is_array()) continue;
    return Fail("dp.lists", fmt::format("`{}` is a list, not {}", key, Spell(value.Find(key))),
                path.Key(key).where());
  }
  if (TextOf(value.Find("schema")) != kDevicePlanSchema) {
    return Fail(
        "dp.schema",
        fmt::format("the schema is `{}`, not {}", kDevicePlanSchema, Spell(value.Find("schema"))),
        path.Key("schema").where());
  }
  const KeyPath kernels_path = path.Key("kernels");
  const KeyPath launches_path = path.Key("launches");
  const Json::Array& kernel_rows = value.Find("kernels")->as_array();
  const Json::Array& launch_rows = value.Find("launches")->as_array();
  DevicePlan plan;
  for (std::size_t i = 0; i < kernel_rows.size(); ++i) {
    ASSIGN_OR_RETURN(KernelContract kernel, ParseKernel(kernel_rows[i], kernels_path.At(i)));
    plan.kernels.push_back(std::move(kernel));
  }
  std::vector<NamedLaunch> launches;
  for (std::size_t i = 0; i < launch_rows.size(); ++i) {
    ASSIGN_OR_RETURN(NamedLaunch launch, ParseLaunch(launch_rows[i], launches_path.At(i)));
    launches.push_back(std::move(launch));
  }
  RETURN_IF_ERROR(CheckKernels(plan.kernels, kernels_path));
  RETURN_IF_ERROR(ResolveLaunches(std::move(launches), launches_path, plan));
  return plan;
}

}  // namespace cacheon::artifact
