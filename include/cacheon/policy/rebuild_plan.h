// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// rebuild.json: which of the reviewed build steps a bundle asks for. A bundle never brings a step
// of its own; it names steps of this system, which run in a fixed order.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::policy {

inline constexpr std::string_view kRebuildFile = "rebuild.json";
inline constexpr std::size_t kMaxRebuildBytes = 8U << 20U;

// A build step of this system.
struct Patcher {
  std::string_view file;  // the name that a step's path ends in
  std::string_view id;
  std::string_view feature;  // observed when a plan has the step
};

// In the order in which they run. The step of our own provider is unknown in compat mode.
std::span<const Patcher> Patchers(bundle::Mode mode);

struct RebuildStep {
  const Patcher* patcher;
  std::string path;  // as it is spelt: the bare name, or below cacheon/patchers/
};

struct RebuildPlan {
  std::vector<RebuildStep> steps;  // in running order

  std::vector<std::string> Features() const;  // sorted
  // {"schema_version", "steps"}; `digests` gives the SHA-256 of each patcher's program by patcher
  // id and must cover the plan.
  Json Identity(const std::map<std::string, std::string, std::less<>>& digests) const;
};

// Reads the text of rebuild.json. Key paths are `steps[1].path`; the file is kRebuildFile. Codes,
// in order of evaluation: rebuild.json, rebuild.duplicate_key, rebuild.not_object, rebuild.fields,
// rebuild.steps_type, and per step rebuild.step_not_object, rebuild.step_fields,
// rebuild.bundle_python, rebuild.step_type, rebuild.path_form, rebuild.path_traversal,
// rebuild.path_directory, rebuild.unregistered, rebuild.duplicate_patcher.
Result<RebuildPlan> ParseRebuildPlan(std::string_view text, bundle::Mode mode);

// The plan of the bundle at `root`; an absent file is an empty plan. Also rebuild.file_kind: the
// file is a link or not a regular file; io.read, io.too_large.
Result<RebuildPlan> ReadRebuildPlan(const std::string& root, bundle::Mode mode);

}  // namespace cacheon::policy
