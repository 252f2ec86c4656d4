// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Artifact providers: the lanes that compile a row's exports to CUBINs ahead of time. The published
// registry has one; a second one is ours, has a registry of its own and is unknown in compat mode.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/core/json.h"

namespace cacheon::policy {

struct Provider {
  std::string_view id;
  std::string_view artifact_kind;
  std::string_view binding_abi;
  std::string_view build_phase;
  std::string_view load_phase;
  std::string_view build_patcher_id;
  std::string_view rebuild_feature;
  std::string_view target_feature;                       // "aot:" and the id
  std::vector<std::string_view> capabilities;            // sorted
  std::vector<std::string_view> compile_profile_inputs;  // sorted as text
  std::string_view publication_directory;
  bool takes_cuda_sources;  // the row's cuda_sources are what it compiles

  // Both must be observed beside an export of this provider.
  std::vector<std::string_view> RequiredTargetFeatures() const;
};

// The published registry.
std::span<const Provider> PublishedProviders();
// The registry of our extension.
std::span<const Provider> ExtensionProviders();

// nullptr when the id is registered in neither registry that `mode` admits.
const Provider* FindProvider(std::string_view id, bundle::Mode mode);
// Every provider that `mode` admits.
std::vector<const Provider*> Providers(bundle::Mode mode);

// {"providers", "schema_version"}, and its digest of domain cacheon.artifact-provider-registry.
Json ProviderRegistrySnapshot(std::span<const Provider> providers);
std::string ProviderRegistryDigest(std::span<const Provider> providers);

}  // namespace cacheon::policy
