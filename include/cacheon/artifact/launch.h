// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launch attributes and geometry: what a launch may ask of the driver, and the checks before it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cacheon/artifact/key_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// The values are the driver's.
enum class ClusterScheduling : std::uint8_t { kDefault = 0, kSpread = 1, kLoadBalancing = 2 };

// Of portable_cluster_mode and shared_memory_mode. Toolkits without these attributes refuse a
// launch that has one; plans that name them read and seal everywhere.
enum class PortableMode : std::uint8_t {
  kDefault = 0,
  kRequirePortable = 1,
  kAllowNonPortable = 2,
};

struct LaunchAttributes {
  bool cooperative = false;
  std::optional<ClusterScheduling> cluster_scheduling = {};
  bool programmatic_stream_serialization = false;
  std::optional<std::int32_t> priority = {};
  std::optional<PortableMode> portable_cluster_mode = {};
  std::optional<PortableMode> shared_memory_mode = {};
};

// Reads the `attributes` table; every key may be left out, and the nullable ones may be null. Codes
// ln.attr_fields, ln.attr_bool, ln.attr_enum, ln.attr_priority.
Result<LaunchAttributes> ParseLaunchAttributes(const Json& value, const KeyPath& path);

// All six keys, absent ones as null.
Json LaunchAttributesToJson(const LaunchAttributes& attributes);

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
};

// One launch with every number known.
struct LaunchGeometry {
  Dim3 grid;
  Dim3 block;
  std::optional<Dim3> cluster = {};
  std::uint32_t shared_mem_bytes = 0;
};

// Block volume, cluster volume, divisibility and attributes that need a cluster. Limits of one
// device (grid y and z, block z) are left to its driver. Codes ln.block, ln.cluster, ln.divide,
// ln.cluster_attr.
Status CheckLaunch(const LaunchGeometry& geometry, const LaunchAttributes& attributes);

// An extent of a grid, block or cluster, 1..2^32-1. Code dp.dim_range.
Result<std::uint32_t> CheckExtent(const Json& value, const KeyPath& path);
// Dynamic shared memory, 0..1 MiB. Code dp.shmem.
Result<std::uint32_t> CheckSharedBytes(const Json& value, const KeyPath& path);

struct LaunchSpec {
  std::string kernel;
  LaunchGeometry geometry;
  LaunchAttributes attributes;
};

// Reads a `cacheon.cuda-launch.v1` document: one launch with numbers in place of expressions. Codes
// of the functions above, dp.inv_fields, dp.dim_fields, dp.schema and kc.name.
Result<LaunchSpec> ParseLaunchSpec(const Json& value, const KeyPath& path);
Json LaunchSpecToJson(const LaunchSpec& spec);

}  // namespace cacheon::artifact
