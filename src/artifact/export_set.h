// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules across all exports of one op.

#include <span>
#include <string>
#include <vector>

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// An export and its place in the document, which sorting must not lose.
struct PlacedExport {
  AotExport row;
  std::string key_path;
};

// Requires rows sorted by provider, plan, step, name. Appends every independent error: one
// provider, unique steps, equal predicates and a sound pipeline in each plan, no ambiguous plans.
// Codes xp.mixed, xp.step_dup, xp.spec_inconsistent, xp.ambiguous and those of pipelines.
void CheckExportSet(std::span<const PlacedExport> exports, const ExportContext& context,
                    std::vector<Error>& errors);

}  // namespace cacheon::artifact
