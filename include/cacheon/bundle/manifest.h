// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The manifest as a checked value. After reading, no string of it needs another look: identifiers
// have their form, paths are resolved inside the bundle, patches are parsed. Reading grants
// nothing: that a slot or target exists is decided elsewhere.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/artifact_rows.h"
#include "cacheon/bundle/declared_path.h"
#include "cacheon/bundle/mode.h"
#include "cacheon/bundle/patch.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

inline constexpr std::string_view kManifestFile = "manifest.toml";
inline constexpr std::string_view kAbiVersion = "cacheon-op-abi-v0";
inline constexpr std::string_view kDefaultVariant = "default";
inline constexpr std::size_t kMaxExportMetadataBytes = 1U << 20U;
// Reading stops here: a document with more errors needs another start, not a longer list.
inline constexpr std::size_t kMaxManifestErrors = 200;

enum class CompetitionMode { kSlot, kAtomic, kSystem };
std::string_view CompetitionModeName(CompetitionMode mode);

struct Competition {
  std::string target;
  CompetitionMode mode = CompetitionMode::kSlot;
};

struct DependencyPatch {
  std::string target;
  DeclaredPath path;
  Patch patch;
};

struct OpRow {
  std::string slot;
  std::string variant;
  bool variant_explicit = false;
  DeclaredPath source;
  std::string entry;
  std::optional<std::string> prepare;
  std::optional<std::string> setup;
  std::optional<DeclaredPath> metadata;
  std::vector<std::string> dtypes;         // trimmed, in the order and spelling of the author
  std::vector<std::string> architectures;  // the same
  std::optional<std::string> base_kernel;
  std::optional<std::string> override_point;
  std::vector<DeclaredPath> cuda_sources;
  ArtifactRows artifact;
  Json::Object extra;    // keys that the format does not know; each is an observed feature
  std::string key_path;  // `ops[2]`

  bool is_direct() const { return !artifact.exports.as_array().empty(); }
};

struct Manifest {
  std::string bundle_id;
  std::string abi_version;  // as spelt: kAbiVersion or the older spelling that can be read
  std::optional<Competition> competition;
  std::vector<DependencyPatch> dep_patches;  // in application order
  std::vector<OpRow> ops;
  // Where the keys stand, for errors of later checks. Shared: the manifest is copied, places are
  // not.
  std::shared_ptr<const Places> places;
};

struct ManifestReading {
  std::optional<Manifest> manifest;  // set exactly when there are no errors
  std::vector<Error> errors;         // all independent ones, in evaluation order
  std::vector<Error> warnings;       // what is accepted but weak; empty in compat mode
};

struct ManifestOptions {
  Mode mode = Mode::kStrict;
  const ArtifactRowChecker* artifact_rows = nullptr;  // required; not kept
};

// Reads `root`/manifest.toml and every file that must be read to check it. Places carry
// `manifest.toml`, line, column and key path. Codes: `manifest.*`, `tree.*` never, and what
// `artifact_rows` reports.
ManifestReading ReadManifest(const std::string& root, const ManifestOptions& options);

// The canonical view: `bundle_id`, `abi_version`, `competition` (null or `{mode, target}`),
// `dep_patches[] {path, target}` and `ops[]` with every known field, `extra_keys` sorted.
Json ManifestJson(const Manifest& manifest);

}  // namespace cacheon::bundle
