// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A checker of artifact rows that takes any list and does what the test tells it, so that the rules
// around it can be tested without the module that knows artifacts.

#include <string>
#include <vector>

#include "cacheon/bundle/artifact_rows.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

class FakeArtifactRows final : public ArtifactRowChecker {
 public:
  ArtifactRows Check(const ArtifactRowInput& row, std::vector<Error>& errors) const override {
    ArtifactRows rows{.specializations = specializations, .takes_cuda_sources = takes_cuda_sources};
    if (row.resources != nullptr && row.resources->is_array()) rows.resources = *row.resources;
    if (row.exports != nullptr && row.exports->is_array()) rows.exports = *row.exports;
    if (row.exports != nullptr && !row.exports->is_array()) {
      const std::string path = std::string(row.row_path) + ".aot_exports";
      errors.push_back(
          Fail("manifest.aot_exports_type", "no list", row.places.OfValue(path)).error());
    }
    return rows;
  }

  std::vector<Specialization> specializations = {};
  bool takes_cuda_sources = false;
};

}  // namespace cacheon::bundle
