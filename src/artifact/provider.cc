// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/provider.h"

#include <algorithm>
#include <utility>

#include "cacheon/artifact/call_abi.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kClusterInputs[] = {
    "max_active_clusters.cluster_size_1", "max_active_clusters.cluster_size_16",
    "max_active_clusters.cluster_size_2", "max_active_clusters.cluster_size_4",
    "max_active_clusters.cluster_size_8"};
constexpr std::string_view kGroupCapabilities[] = {kGroupNativeHandle, kGroupPeerPtrTable};

constexpr ArtifactProvider kProviders[] = {
    {.id = kCuteProvider,
     .registry = ProviderRegistry::kPublished,
     .patcher_id = "cacheon.build-cute-cubin.v1",
     .publication_directory = "cute_cubin",
     .rebuild_feature = "rebuild:build_cute_cubin",
     .manifest_feature = "aot:cutlass.cute.cubin.v1",
     .profile_inputs = kClusterInputs,
     .capabilities = kGroupCapabilities},
    {.id = kNvccProvider,
     .registry = ProviderRegistry::kExtension,
     .patcher_id = "cacheon.build-nvcc-cubin.v1",
     .publication_directory = "nvcc_cubin",
     .rebuild_feature = "rebuild:build_nvcc_cubin",
     .manifest_feature = "aot:cuda.nvcc.cubin.v1",
     .profile_inputs = {},
     .capabilities = kGroupCapabilities},
};

Json TextList(std::span<const std::string_view> names) {
  Json::Array list;
  for (const std::string_view name : names) list.emplace_back(name);
  return list;
}

Json Snapshot(const ArtifactProvider& provider) {
  return Json::Object{{"artifact_kind", "cuda_cubin"},
                      {"authoritative", true},
                      {"binding_abi", "cuda_driver_params.v1"},
                      {"build_patcher_id", provider.patcher_id},
                      {"build_phase", "oci_prebuild_only"},
                      {"compile_profile_inputs", TextList(provider.profile_inputs)},
                      {"crownable", true},
                      {"load_phase", "isolated_engine_worker_only"},
                      {"provider_capabilities", TextList(provider.capabilities)},
                      {"provider_id", provider.id},
                      {"publication_directory", provider.publication_directory},
                      {"rebuild_feature", provider.rebuild_feature},
                      {"required_target_features",
                       Json::Array{provider.manifest_feature, provider.rebuild_feature}},
                      {"requires_compile_profile", true},
                      {"supports_static_slots", true}};
}

}  // namespace

const ArtifactProvider* FindProvider(std::string_view id, bool extensions) {
  const auto found = std::ranges::find(kProviders, id, &ArtifactProvider::id);
  if (found == std::end(kProviders)) return nullptr;
  if (found->registry == ProviderRegistry::kExtension && !extensions) return nullptr;
  return found;
}

Json ProviderRegistrySnapshot(ProviderRegistry registry) {
  Json::Array providers;
  for (const ArtifactProvider& provider : kProviders) {
    if (provider.registry == registry) providers.push_back(Snapshot(provider));
  }
  return Json::Object{{"providers", std::move(providers)}, {"schema_version", 1}};
}

std::string ProviderRegistryDigest(ProviderRegistry registry) {
  Result<std::string> digest =
      DomainDigest("cacheon.artifact-provider-registry", ProviderRegistrySnapshot(registry));
  CACHEON_CHECK(digest.has_value(), "a registered provider has no canonical form");
  return *std::move(digest);
}

}  // namespace cacheon::artifact
