// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The manifest reader's view of this module: checks `artifact_resources` and `aot_exports` of one
// op row and keeps the checked types with the row.

#include <vector>

#include "cacheon/artifact/op_artifact.h"
#include "cacheon/bundle/artifact_rows.h"

namespace cacheon::artifact {

class RowChecker final : public bundle::ArtifactRowChecker {
 public:
  bundle::ArtifactRows Check(const bundle::ArtifactRowInput& row,
                             std::vector<Error>& errors) const override;
};

// The checked types behind the rows that a RowChecker returned; nullptr for other rows. Owned by
// `rows`.
const OpArtifact* DirectArtifactOf(const bundle::ArtifactRows& rows);

}  // namespace cacheon::artifact
