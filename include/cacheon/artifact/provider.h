// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The registered artifact providers. A provider says how an export is compiled, which
// compile-profile values its factory may read, and which group capabilities it declares. Two
// registries stand side by side: the published one, whose snapshot and digest are fixed, and our
// extension.

#include <span>
#include <string>
#include <string_view>

#include "cacheon/core/json.h"

namespace cacheon::artifact {

inline constexpr std::string_view kCuteProvider = "cutlass.cute.cubin.v1";
inline constexpr std::string_view kNvccProvider = "cuda.nvcc.cubin.v1";
inline constexpr std::string_view kNvccFactory = "translation_unit";

enum class ProviderRegistry {
  kPublished,  // the only registry in compat mode
  kExtension,  // strict mode knows these too
};

struct ArtifactProvider {
  std::string_view id;
  ProviderRegistry registry;
  std::string_view patcher_id;
  std::string_view publication_directory;
  std::string_view rebuild_feature;
  std::string_view manifest_feature;
  std::span<const std::string_view> profile_inputs;  // sorted
  std::span<const std::string_view> capabilities;    // sorted
};

// The provider with this id, or nullptr. With `extensions` false only the published one is known.
const ArtifactProvider* FindProvider(std::string_view id, bool extensions);

// {"providers":[...],"schema_version":1} of one registry, and its domain digest.
Json ProviderRegistrySnapshot(ProviderRegistry registry);
std::string ProviderRegistryDigest(ProviderRegistry registry);

}  // namespace cacheon::artifact
