// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/provider.h"

#include <algorithm>
#include <iterator>

#include "src/policy/json_list.h"

namespace cacheon::policy {
namespace {

constexpr std::string_view kRegistryDomain = "cacheon.artifact-provider-registry";

Json Snapshot(const Provider& provider) {
  return Json::Object{
      {"provider_id", provider.id},
      {"artifact_kind", provider.artifact_kind},
      {"binding_abi", provider.binding_abi},
      {"authoritative", true},
      {"crownable", true},
      {"requires_compile_profile", true},
      {"supports_static_slots", true},
      {"build_phase", provider.build_phase},
      {"load_phase", provider.load_phase},
      {"build_patcher_id", provider.build_patcher_id},
      {"rebuild_feature", provider.rebuild_feature},
      {"required_target_features", JsonList(provider.RequiredTargetFeatures())},
      {"provider_capabilities", JsonList(provider.capabilities)},
      {"compile_profile_inputs", JsonList(provider.compile_profile_inputs)},
      {"publication_directory", provider.publication_directory},
  };
}

}  // namespace

std::vector<std::string_view> Provider::RequiredTargetFeatures() const {
  std::vector<std::string_view> features = {target_feature, rebuild_feature};
  std::ranges::sort(features);
  return features;
}

std::span<const Provider> PublishedProviders() {
  static const std::vector<Provider> providers = {{
      .id = "cutlass.cute.cubin.v1",
      .artifact_kind = "cuda_cubin",
      .binding_abi = "cuda_driver_params.v1",
      .build_phase = "oci_prebuild_only",
      .load_phase = "isolated_engine_worker_only",
      .build_patcher_id = "cacheon.build-cute-cubin.v1",
      .rebuild_feature = "rebuild:build_cute_cubin",
      .target_feature = "aot:cutlass.cute.cubin.v1",
      .capabilities = {"group.native_handle.v1", "group.peer_ptr_table.v1"},
      .compile_profile_inputs = {"max_active_clusters.cluster_size_1",
                                 "max_active_clusters.cluster_size_16",
                                 "max_active_clusters.cluster_size_2",
                                 "max_active_clusters.cluster_size_4",
                                 "max_active_clusters.cluster_size_8"},
      .publication_directory = "cute_cubin",
      .takes_cuda_sources = false,
  }};
  return providers;
}

std::span<const Provider> ExtensionProviders() {
  static const std::vector<Provider> providers = {{
      .id = "cuda.nvcc.cubin.v1",
      .artifact_kind = "cuda_cubin",
      .binding_abi = "cuda_driver_params.v1",
      .build_phase = "oci_prebuild_only",
      .load_phase = "isolated_engine_worker_only",
      .build_patcher_id = "cacheon.build-nvcc-cubin.v1",
      .rebuild_feature = "rebuild:build_nvcc_cubin",
      .target_feature = "aot:cuda.nvcc.cubin.v1",
      .capabilities = {"group.native_handle.v1", "group.peer_ptr_table.v1"},
      .compile_profile_inputs = {},
      .publication_directory = "nvcc_cubin",
      .takes_cuda_sources = true,
  }};
  return providers;
}

std::vector<const Provider*> Providers(bundle::Mode mode) {
  std::vector<const Provider*> providers;
  for (const Provider& provider : PublishedProviders()) providers.push_back(&provider);
  if (mode == bundle::Mode::kCompat) return providers;
  for (const Provider& provider : ExtensionProviders()) providers.push_back(&provider);
  return providers;
}

const Provider* FindProvider(std::string_view id, bundle::Mode mode) {
  for (const Provider* provider : Providers(mode)) {
    if (provider->id == id) return provider;
  }
  return nullptr;
}

Json ProviderRegistrySnapshot(std::span<const Provider> providers) {
  Json::Array rows;
  std::ranges::transform(providers, std::back_inserter(rows), Snapshot);
  return Json::Object{{"providers", std::move(rows)}, {"schema_version", 1}};
}

std::string ProviderRegistryDigest(std::span<const Provider> providers) {
  return IdentityDigest(kRegistryDomain, ProviderRegistrySnapshot(providers));
}

}  // namespace cacheon::policy
