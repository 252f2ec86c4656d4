// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which resources a step may touch, and the order and completeness of a plan's steps.

#include <span>
#include <string>
#include <vector>

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// A reference of an export to a resource: binding sources, aggregate leaves, peer resources and
// prelaunch targets, in that order of rows.
struct Reference {
  std::string_view name;
  std::string key_path;
};

std::vector<Reference> ReferencesOf(const AotExport& row, const KeyPath& path);

// That the role may touch each referenced resource. Codes pl.boundary, pl.output_mut.
Status CheckBoundary(const AotExport& row, const ExportContext& context, const KeyPath& path);

// One row of a plan and where it stands in the document.
struct PlanStep {
  const AotExport* row;
  std::string key_path;
};

// The steps of one plan, sorted by step: at least one run, roles in order, every output written,
// every declared resource used and used by the roles that may. Codes pl.no_run, pl.role_order,
// pl.outputs, rs.destroy_mix, rs.unused, rs.ws_role, rs.prep_role, rs.prep_pair.
Status CheckPipeline(std::span<const PlanStep> steps, const ExportContext& context);

}  // namespace cacheon::artifact
