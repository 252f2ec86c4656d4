// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prelaunch operations: fills of outputs and artifact resources before a step's launches.

#include <vector>

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// Codes pf.list, pf.count, pf.fields, pf.op, pf.string, pf.nonfinite, pf.type, pf.range and
// bd.source_name.
Result<std::vector<PrelaunchFill>> ParsePrelaunch(const Json& rows, const KeyPath& path);

// That each target is a writable tensor. Codes pf.unknown, pf.target.
Status CheckPrelaunch(const std::vector<PrelaunchFill>& fills, const ExportContext& context,
                      const KeyPath& path);

}  // namespace cacheon::artifact
