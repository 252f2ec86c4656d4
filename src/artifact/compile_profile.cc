// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/compile_profile.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "cacheon/artifact/architecture.h"
#include "cacheon/artifact/limits.h"
#include "cacheon/policy/provider.h"
#include "src/artifact/digest_text.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kSchema = "cacheon.native-cute-compile-profile.v1";
constexpr std::string_view kDigestDomain = "cacheon.eval.native-cute-compile-profile";

struct DigestField {
  std::string_view key;
  std::string CompileProfile::* member;
};

constexpr DigestField kDigests[] = {
    {"device_policy_digest", &CompileProfile::device_policy_digest},
    {"image_digest", &CompileProfile::image_digest},
    {"logical_hardware_digest", &CompileProfile::logical_hardware_digest},
    {"measurement_digest", &CompileProfile::measurement_digest},
    {"platform_digest", &CompileProfile::platform_digest},
    {"topology_digest", &CompileProfile::topology_digest},
    {"worker_distribution_digest", &CompileProfile::worker_distribution_digest},
};

struct DegreeField {
  std::string_view key;
  std::int64_t Degrees::* member;
};

constexpr DegreeField kDegrees[] = {{"dp_size", &Degrees::dp_size},
                                    {"ep_size", &Degrees::ep_size},
                                    {"tp_size", &Degrees::tp_size},
                                    {"visible_gpu_count", &Degrees::visible_gpu_count}};

Status CheckKeys(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"compiler_architecture",
                                               "constants",
                                               "degrees",
                                               "device_policy_digest",
                                               "image_digest",
                                               "logical_architecture",
                                               "logical_hardware_digest",
                                               "measurement_digest",
                                               "platform_digest",
                                               "provider",
                                               "schema",
                                               "topology_digest",
                                               "worker_distribution_digest"};
  if (!value.is_object()) {
    return Fail("cp.fields", fmt::format("a profile is an object, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("cp.fields", problem->message, path.where(), problem->hint);
  }
  return {};
}

Result<Degrees> ParseDegrees(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"dp_size", "ep_size", "tp_size",
                                               "visible_gpu_count"};
  if (!value.is_object()) {
    return Fail("cp.degrees", fmt::format("`degrees` is an object, not {}", Spell(&value)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("cp.degrees", problem->message, path.where(), problem->hint);
  }
  Degrees degrees;
  for (const auto& [key, member] : kDegrees) {
    const auto number = ExactInteger(value.Find(key), 1, kMaxDegree);
    if (!number) {
      return Fail("cp.degree",
                  fmt::format("a degree is an integer in 1..{}, not {}", kMaxDegree,
                              Spell(value.Find(key))),
                  path.Key(key).where());
    }
    degrees.*member = *number;
  }
  for (const auto& [key, member] : kDegrees) {
    if (degrees.*member <= degrees.visible_gpu_count) continue;
    return Fail("cp.degree_max",
                fmt::format("{} of {} is above the {} visible GPUs", key, degrees.*member,
                            degrees.visible_gpu_count),
                path.Key(key).where());
  }
  return degrees;
}

Status ParseConstants(const Json& value, const policy::Provider& provider, const KeyPath& path,
                      CompileProfile& profile) {
  if (!value.is_object() || value.as_object().size() > kMaxProfileConstants) {
    return Fail("cp.const_count",
                fmt::format("`constants` is an object of at most {} members", kMaxProfileConstants),
                path.where());
  }
  for (const auto& [key, constant] : value.as_object()) {
    const Json name(key);
    if (!IndexOf(provider.compile_profile_inputs, &name)) {
      return Fail("cp.const_key", fmt::format("`{}` is no constant of {}", key, provider.id),
                  path.Key(key).where());
    }
    const auto number = ExactInteger(&constant, 1, kMaxProfileConstant);
    if (!number) {
      return Fail("cp.const_bound",
                  fmt::format("a constant is an integer in 1..{}, not {}", kMaxProfileConstant,
                              Spell(&constant)),
                  path.Key(key).where());
    }
    profile.constants[key] = *number;
  }
  return {};
}

Status ParseArchitectures(const Json& value, const KeyPath& path, CompileProfile& profile) {
  profile.logical_architecture = TextOf(value.Find("logical_architecture"));
  profile.compiler_architecture = TextOf(value.Find("compiler_architecture"));
  if (!IsLogicalArchitecture(profile.logical_architecture)) {
    return Fail(
        "cp.arch",
        fmt::format("{} is no logical architecture", Spell(value.Find("logical_architecture"))),
        path.Key("logical_architecture").where(), "write for example sm90");
  }
  if (!IsCompilerArchitecture(profile.compiler_architecture)) {
    return Fail(
        "cp.arch",
        fmt::format("{} is no compiler architecture", Spell(value.Find("compiler_architecture"))),
        path.Key("compiler_architecture").where(), "write for example sm_90a");
  }
  if (!IsSameFamily(profile.logical_architecture, profile.compiler_architecture)) {
    return Fail("cp.family",
                fmt::format("{} and {} are of different families", profile.logical_architecture,
                            profile.compiler_architecture),
                path.Key("compiler_architecture").where());
  }
  return {};
}

Status Differs(std::string_view what, std::string_view profile, std::string_view launch) {
  if (profile == launch) return {};
  return Fail("cp.launch",
              fmt::format("{} of the profile is {}, of the launch {}", what, profile, launch),
              {.key_path = std::string(what)});
}

}  // namespace

Result<CompileProfile> ParseCompileProfile(const Json& value, const KeyPath& path,
                                           bundle::Mode mode) {
  RETURN_IF_ERROR(CheckKeys(value, path));
  if (TextOf(value.Find("schema")) != kSchema) {
    return Fail("cp.schema",
                fmt::format("the schema is `{}`, not {}", kSchema, Spell(value.Find("schema"))),
                path.Key("schema").where());
  }
  const policy::Provider* provider = policy::FindProvider(TextOf(value.Find("provider")), mode);
  if (provider == nullptr) {
    return Fail("cp.provider",
                fmt::format("there is no provider {}", Spell(value.Find("provider"))),
                path.Key("provider").where());
  }
  CompileProfile profile;
  profile.provider = provider->id;
  RETURN_IF_ERROR(ParseArchitectures(value, path, profile));
  ASSIGN_OR_RETURN(profile.degrees, ParseDegrees(*value.Find("degrees"), path.Key("degrees")));
  RETURN_IF_ERROR(
      ParseConstants(*value.Find("constants"), *provider, path.Key("constants"), profile));
  for (const auto& [key, member] : kDigests) {
    ASSIGN_OR_RETURN(profile.*member,
                     ParseDigest(value.Find(key), ZeroDigest::kRefuse, path.Key(key)));
  }
  return profile;
}

Result<CompileProfile> ReadCompileProfile(std::string_view bytes, bundle::Mode mode) {
  ASSIGN_OR_RETURN(const Json value, ReadJson(bytes, {.max_bytes = kMaxProfileFileBytes}));
  ASSIGN_OR_RETURN(CompileProfile profile, ParseCompileProfile(value, KeyPath(""), mode));
  if (CompileProfileBytes(profile) == bytes) return profile;
  return Fail("cp.fields", "the file is not canonical JSON and one newline");
}

Json CompileProfileToJson(const CompileProfile& profile) {
  Json::Object degrees;
  for (const auto& [key, member] : kDegrees) degrees[std::string(key)] = profile.degrees.*member;
  Json::Object constants;
  for (const auto& [key, constant] : profile.constants) constants[key] = constant;
  Json::Object json{{"compiler_architecture", profile.compiler_architecture},
                    {"constants", std::move(constants)},
                    {"degrees", std::move(degrees)},
                    {"logical_architecture", profile.logical_architecture},
                    {"provider", profile.provider},
                    {"schema", kSchema}};
  for (const auto& [key, member] : kDigests) json[std::string(key)] = profile.*member;
  return json;
}

std::string CompileProfileBytes(const CompileProfile& profile) {
  Result<std::string> bytes = CanonicalJson(CompileProfileToJson(profile));
  CACHEON_CHECK(bytes.has_value(), "a checked profile holds no float and only ASCII text");
  return *std::move(bytes) + '\n';
}

std::string CompileProfileDigest(const CompileProfile& profile) {
  Result<std::string> digest = DomainDigest(kDigestDomain, CompileProfileToJson(profile));
  CACHEON_CHECK(digest.has_value(), "a checked profile holds no float and only ASCII text");
  return *std::move(digest);
}

Status CheckLaunchFacts(const CompileProfile& profile, const LaunchFacts& launch) {
  RETURN_IF_ERROR(Differs("image_digest", profile.image_digest, launch.image_digest));
  RETURN_IF_ERROR(Differs("platform_digest", profile.platform_digest, launch.platform_digest));
  RETURN_IF_ERROR(Differs("worker_distribution_digest", profile.worker_distribution_digest,
                          launch.worker_distribution_digest));
  RETURN_IF_ERROR(Differs("logical_hardware_digest", profile.logical_hardware_digest,
                          launch.logical_hardware_digest));
  RETURN_IF_ERROR(
      Differs("device_policy_digest", profile.device_policy_digest, launch.device_policy_digest));
  RETURN_IF_ERROR(Differs("topology_digest", profile.topology_digest, launch.topology_digest));
  RETURN_IF_ERROR(
      Differs("logical_architecture", profile.logical_architecture, launch.logical_architecture));
  for (const auto& [key, member] : kDegrees) {
    RETURN_IF_ERROR(Differs(key, fmt::to_string(profile.degrees.*member),
                            fmt::to_string(launch.degrees.*member)));
  }
  return {};
}

}  // namespace cacheon::artifact
