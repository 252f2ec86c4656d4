// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identities of direct artifacts. Everything here is canonical JSON and SHA-256 over it; nothing
// depends on the order of rows, on spelled-out defaults, on `entry` or on the variant, except the
// artifact id, which names the variant and the source.

#include <string>
#include <string_view>
#include <vector>

#include "cacheon/artifact/op_artifact.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr std::string_view kDirectIdentitySchema = "cacheon.direct-artifact-execution.v1";
inline constexpr std::string_view kCanonicalEntry = "_cacheon_direct_artifact";

// A scalar as identities spell it: a float becomes {"hex","type":"float"} and stays distinct from
// an equal integer.
Json TagFloat(const Json& value);

// One export in canonical form, with every default filled in and floats tagged.
Json ExportToJson(const AotExport& row);
Json ExportsToJson(const std::vector<AotExport>& exports);

// {"artifact_resource_plan","artifact_resource_plan_sha256","exports","schema"}.
Json DirectExecutionIdentity(const OpArtifact& artifact);

// The sealed launch plan. Floats are not tagged here and have no canonical form, so that an export
// with a float predicate or a float fill has a direct identity but cannot be sealed:
// identity.float.
Json SealedLaunchPlan(const AotExport& row);

struct ArtifactId {
  std::string launch_plan_sha256;
  std::string artifact_id;      // `cute_<digest>`
  std::string function_prefix;  // `cacheon_cute_<digest>`
};

// The identity of one export's CUBIN; `source` and `variant` are those of the op row. Code
// identity.float when the export cannot be sealed.
Result<ArtifactId> IdentifyExport(const OpArtifact& artifact, const AotExport& row,
                                  std::string_view source, std::string_view variant);

}  // namespace cacheon::artifact
