// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The direct artifact of one op row: its resource plan and all its exports, checked together.

#include <string_view>
#include <vector>

#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/export.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/resource_plan.h"
#include "cacheon/core/error.h"
#include "cacheon/core/json.h"

namespace cacheon::artifact {

struct OpArtifact {
  const CallAbi* abi = nullptr;  // nullptr: the slot has none, and nothing is declared
  ResourcePlan resources;
  std::vector<AotExport> exports;  // sorted by provider, plan, step, name
};

struct OpArtifactInput {
  std::string_view slot;
  const Json* resources = nullptr;  // `artifact_resources`, or nullptr
  const Json* exports = nullptr;    // `aot_exports`, or nullptr
  bundle::Mode mode = bundle::Mode::kStrict;
};

// Reads both lists of an op. Appends every independent error, in the order in which the rules are
// evaluated; the result is complete only when none was appended. Rules across rows are evaluated
// when every row stands. Codes of resource plans and exports, and rs.need_abi, `xp.*`.
OpArtifact ParseOpArtifact(const OpArtifactInput& input, const KeyPath& path,
                           std::vector<Error>& errors);

}  // namespace cacheon::artifact
