// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is decided from the files of a bundle alone, before its code is loaded: the target that it
// competes for, its identity, and what the static scan says about every source in it.

#include <optional>
#include <string>
#include <vector>

#include "cacheon/bundle/manifest.h"
#include "cacheon/verify/options.h"

namespace cacheon::verify {

struct GateReport {
  std::optional<std::string> target;  // unset: the bundle resolves to none
  std::string content_hash;           // of the bytes that were scanned; empty when unreadable
  std::vector<Error> errors;  // findings of the scan, then errors of resolution; warnings too
  bool refused = false;       // some error has severity error
};

// Scans and resolves the bundle at `root`. `interpreter` is the program whose parser judges; empty
// is that of the system. In compat mode a bundle that resolves to no target is not refused. Codes:
// those of the scan, of ReadTreeContents and of InspectResolution.
GateReport CheckGate(const std::string& root, const bundle::Manifest& manifest,
                     const Options& options, const std::string& interpreter);

}  // namespace cacheon::verify
