// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a row's metadata that must prove what its exports specialise: capability fields with
// exactly one value, in raw spelling. Domains and their normal forms are the policy module's.

#include <optional>

#include "cacheon/bundle/artifact_rows.h"
#include "cacheon/bundle/declared_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

class ExactCapabilities {
 public:
  ExactCapabilities() = default;
  explicit ExactCapabilities(Json capabilities) : capabilities_(std::move(capabilities)) {}

  // True when the field has a scalar, a list of one item, `{exact: v}` or `{one_of: [v]}` of the
  // same type and value.
  bool Proves(const Specialization& needed) const;

 private:
  Json capabilities_;
};

// Reads the metadata file; none gives no capabilities. Places carry the metadata file. Codes:
// manifest.metadata_size, manifest.metadata_json, manifest.metadata_duplicate_key,
// manifest.metadata_object, manifest.metadata_capabilities_object.
Result<ExactCapabilities> ReadExactCapabilities(const BundleRoot& root,
                                                const std::optional<DeclaredPath>& metadata);

}  // namespace cacheon::bundle
