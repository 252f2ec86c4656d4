// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compile profiles: the measured facts of one fleet that factories may read, bound to the digests
// of the machine they were measured on. A profile file is canonical JSON and one newline.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cacheon/artifact/key_path.h"
#include "cacheon/bundle/mode.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

struct Degrees {
  std::int64_t dp_size = 1;
  std::int64_t ep_size = 1;
  std::int64_t tp_size = 1;
  std::int64_t visible_gpu_count = 1;
};

struct CompileProfile {
  std::string provider;
  std::string logical_architecture;   // `sm90`
  std::string compiler_architecture;  // `sm_90a`
  Degrees degrees;
  std::map<std::string, std::int64_t, std::less<>> constants;  // registered profile inputs
  // Each 64 lower-case hex digits and not zero.
  std::string device_policy_digest;
  std::string image_digest;
  std::string logical_hardware_digest;
  std::string measurement_digest;
  std::string platform_digest;
  std::string topology_digest;
  std::string worker_distribution_digest;
};

// Codes `cp.*`, dg.format, dg.zero. The mode decides which providers are known.
Result<CompileProfile> ParseCompileProfile(const Json& value, const KeyPath& path,
                                           bundle::Mode mode = bundle::Mode::kStrict);

// Reads the bytes of a profile file; any form but the canonical one is cp.fields.
Result<CompileProfile> ReadCompileProfile(std::string_view bytes,
                                          bundle::Mode mode = bundle::Mode::kStrict);

Json CompileProfileToJson(const CompileProfile& profile);

// The whole file: canonical JSON and one newline.
std::string CompileProfileBytes(const CompileProfile& profile);

// Digest in the domain `cacheon.eval.native-cute-compile-profile`.
std::string CompileProfileDigest(const CompileProfile& profile);

// What a launch must have in common with the profile of its artifacts.
struct LaunchFacts {
  std::string logical_architecture;
  Degrees degrees;
  std::string device_policy_digest;
  std::string image_digest;
  std::string logical_hardware_digest;
  std::string platform_digest;
  std::string topology_digest;
  std::string worker_distribution_digest;
};

// Code cp.launch, naming the first fact that differs.
Status CheckLaunchFacts(const CompileProfile& profile, const LaunchFacts& launch);

}  // namespace cacheon::artifact
