// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/launch.h"

#include <fmt/format.h>

#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kLaunchSchema = "cacheon.cuda-launch.v1";

// True when x*y*z is at most `limit`. Products of two extents fit 64 bits.
bool VolumeWithin(const Dim3& dims, std::uint64_t limit) {
  const std::uint64_t area = std::uint64_t{dims.x} * dims.y;
  return area <= limit && area * dims.z <= limit;
}

Result<Dim3> ParseDim3(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"x", "y", "z"};
  if (!value.is_object()) {
    return Fail("dp.dim_fields", fmt::format("dimensions are a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("dp.dim_fields", problem->message, path.where(), problem->hint);
  }
  Dim3 dims;
  ASSIGN_OR_RETURN(dims.x, CheckExtent(*value.Find("x"), path.Key("x")));
  ASSIGN_OR_RETURN(dims.y, CheckExtent(*value.Find("y"), path.Key("y")));
  ASSIGN_OR_RETURN(dims.z, CheckExtent(*value.Find("z"), path.Key("z")));
  return dims;
}

Json Dim3ToJson(const Dim3& dims) {
  return Json::Object{{"x", dims.x}, {"y", dims.y}, {"z", dims.z}};
}

}  // namespace

Status CheckLaunch(const LaunchGeometry& geometry, const LaunchAttributes& attributes) {
  const auto& [grid, block, cluster, shared_mem_bytes] = geometry;
  if (!VolumeWithin(block, kMaxBlockVolume)) {
    return Fail("ln.block", fmt::format("a block of {}x{}x{} threads is above {}", block.x, block.y,
                                        block.z, kMaxBlockVolume));
  }
  if (!cluster) {
    if (!attributes.cluster_scheduling && !attributes.portable_cluster_mode) return {};
    return Fail("ln.cluster_attr", "an attribute of clusters needs `cluster` dimensions");
  }
  if (!VolumeWithin(*cluster, kMaxClusterVolume)) {
    return Fail("ln.cluster", fmt::format("a cluster of {}x{}x{} blocks is above {}", cluster->x,
                                          cluster->y, cluster->z, kMaxClusterVolume));
  }
  if (grid.x % cluster->x != 0 || grid.y % cluster->y != 0 || grid.z % cluster->z != 0) {
    return Fail("ln.divide",
                fmt::format("a grid of {}x{}x{} is no multiple of the cluster {}x{}x{}", grid.x,
                            grid.y, grid.z, cluster->x, cluster->y, cluster->z));
  }
  return {};
}

Result<std::uint32_t> CheckExtent(const Json& value, const KeyPath& path) {
  const auto number = ExactInteger(&value, 1, kMaxLaunchExtent);
  if (number) return static_cast<std::uint32_t>(*number);
  return Fail(
      "dp.dim_range",
      fmt::format("an extent is an integer in 1..{}, not {}", kMaxLaunchExtent, Spell(&value)),
      path.where());
}

Result<std::uint32_t> CheckSharedBytes(const Json& value, const KeyPath& path) {
  const auto number = ExactInteger(&value, 0, kMaxDynamicSharedBytes);
  if (number) return static_cast<std::uint32_t>(*number);
  return Fail("dp.shmem",
              fmt::format("dynamic shared memory is an integer in 0..{} bytes, not {}",
                          kMaxDynamicSharedBytes, Spell(&value)),
              path.where());
}

Result<LaunchSpec> ParseLaunchSpec(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kRequired[] = {"schema", "kernel",           "grid",
                                                   "block",  "shared_mem_bytes", "attributes"};
  static constexpr std::string_view kOptional[] = {"cluster"};
  if (!value.is_object()) {
    return Fail("dp.inv_fields", fmt::format("a launch is a table, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kRequired, kOptional)) {
    return Fail("dp.inv_fields", problem->message, path.where(), problem->hint);
  }
  if (TextOf(value.Find("schema")) != kLaunchSchema) {
    return Fail("dp.schema", fmt::format("the schema is `{}`", kLaunchSchema),
                path.Key("schema").where());
  }
  LaunchSpec spec{
      .kernel = std::string(TextOf(value.Find("kernel"))), .geometry = {}, .attributes = {}};
  if (!IsKernelName(spec.kernel)) {
    return Fail("kc.name", fmt::format("{} is no kernel name", Spell(value.Find("kernel"))),
                path.Key("kernel").where());
  }
  ASSIGN_OR_RETURN(spec.geometry.grid, ParseDim3(*value.Find("grid"), path.Key("grid")));
  ASSIGN_OR_RETURN(spec.geometry.block, ParseDim3(*value.Find("block"), path.Key("block")));
  if (const Json* cluster = Present(value, "cluster")) {
    ASSIGN_OR_RETURN(spec.geometry.cluster, ParseDim3(*cluster, path.Key("cluster")));
  }
  ASSIGN_OR_RETURN(spec.geometry.shared_mem_bytes,
                   CheckSharedBytes(*value.Find("shared_mem_bytes"), path.Key("shared_mem_bytes")));
  ASSIGN_OR_RETURN(spec.attributes,
                   ParseLaunchAttributes(*value.Find("attributes"), path.Key("attributes")));
  RETURN_IF_ERROR(CheckLaunch(spec.geometry, spec.attributes));
  return spec;
}

Json LaunchSpecToJson(const LaunchSpec& spec) {
  const LaunchGeometry& geometry = spec.geometry;
  return Json::Object{{"attributes", LaunchAttributesToJson(spec.attributes)},
                      {"block", Dim3ToJson(geometry.block)},
                      {"cluster", geometry.cluster ? Dim3ToJson(*geometry.cluster) : Json()},
                      {"grid", Dim3ToJson(geometry.grid)},
                      {"kernel", spec.kernel},
                      {"schema", kLaunchSchema},
                      {"shared_mem_bytes", geometry.shared_mem_bytes}};
}

}  // namespace cacheon::artifact
