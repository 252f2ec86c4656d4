// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Resolution: which target a bundle competes for, from what its manifest declares and what its
// rebuild plan proves, and whether that target admits every feature the bundle uses.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/policy/target_catalog.h"

namespace cacheon::policy {

// What resolution needs to know of one op row.
struct DeclaredRow {
  std::string slot;
  std::string variant = "default";
  bool has_prepare = false;
  bool has_setup = false;
  bool has_override = false;  // base_kernel or override_point
  std::vector<std::string> cuda_sources = {};
  std::vector<std::string> providers = {};   // of its exports; repeats are harmless
  std::vector<std::string> extra_keys = {};  // keys that the manifest does not know
  Place where = {};
};

// `[competition]`, with the mode as it is spelt.
struct CompetitionRequest {
  std::string target;
  std::string mode;
  Place where = {};
};

// What resolution needs to know of a manifest.
struct Declaration {
  std::vector<DeclaredRow> rows;
  std::vector<std::string> patched_dependencies = {};  // targets of dep_patches
  std::optional<CompetitionRequest> competition = {};
};

// The features that the manifest alone shows, sorted and unique.
std::vector<std::string> DeclaredFeatures(const Declaration& declaration);

struct Resolution {
  std::optional<std::string> target_id = {};  // unset when unregistered
  std::optional<TargetKind> kind = {};
  std::vector<std::string> members = {};  // catalogue order; sorted when unregistered
  bool registered = false;
  bool implicit = false;  // found by the set of its members, not requested
  std::vector<std::string> observed_features = {};  // sorted
  bool features_complete = false;                   // the rebuild plan was taken into account
  std::optional<Error> reason = {};                 // why it is unregistered

  // The fields under their names, `reason` as its code.
  Json ToJson() const;
};

// For people who look at a bundle: without the rebuild plan. An unregistered bundle is a result.
// Codes target.mode_unknown, target.unknown, target.mode_mismatch, target.member_mismatch,
// target.feature_setup, target.feature_rejected.
Result<Resolution> InspectResolution(const Declaration& declaration, bundle::Mode mode);

// For intake: with the features of the rebuild plan (none when the file is absent). The result is
// registered and complete. Codes as for inspection, and target.features_malformed,
// target.legacy_system, target.unregistered_members, target.patch_without_rebuild,
// target.rebuild_patch_without_patch, target.cuda_without_rebuild,
// target.rebuild_cuda_without_sources, target.cuda_no_unit, target.provider_unregistered,
// target.aot_missing_features, target.rebuild_aot_without_exports.
Result<Resolution> AdmitBundle(const Declaration& declaration,
                               std::span<const std::string> rebuild_features, bundle::Mode mode);

// What strict mode says about an accepted resolution: target.unavailable_in_arena (with a model),
// target.prepare_unused.
std::vector<Error> ResolutionWarnings(const Declaration& declaration, const Resolution& resolution,
                                      std::string_view model = {});

}  // namespace cacheon::policy
