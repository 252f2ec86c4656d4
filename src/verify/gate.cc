// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/gate.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cacheon/bundle/tree_contents.h"
#include "cacheon/policy/declare.h"
#include "cacheon/policy/resolve.h"
#include "cacheon/policy/scan.h"
#include "cacheon/policy/scan_input.h"

namespace cacheon::verify {
namespace {

Status Scan(const std::string& root, const bundle::Manifest& manifest, const Options& options,
            const std::string& interpreter, GateReport& report) {
  ASSIGN_OR_RETURN(const bundle::TreeContents contents, bundle::ReadTreeContents(root));
  report.content_hash = contents.content_hash;
  policy::ScanOptions scan{.mode = options.mode};
  if (!interpreter.empty()) scan.interpreter = interpreter;
  policy::Scanner scanner(std::move(scan));
  ASSIGN_OR_RETURN(policy::ScanReport found,
                   scanner.Scan(policy::MakeScanBundle(root, contents, &manifest)));
  std::ranges::move(found.findings, std::back_inserter(report.errors));
  return {};
}

Status Resolve(const bundle::Manifest& manifest, const Options& options, GateReport& report) {
  const policy::Declaration declaration = policy::Declare(manifest);
  ASSIGN_OR_RETURN(policy::Resolution resolution,
                   policy::InspectResolution(declaration, options.mode));
  report.target = std::move(resolution.target_id);
  if (options.mode == bundle::Mode::kCompat) return {};
  std::ranges::move(policy::ResolutionWarnings(declaration, resolution, options.model),
                    std::back_inserter(report.errors));
  return {};
}

}  // namespace

GateReport CheckGate(const std::string& root, const bundle::Manifest& manifest,
                     const Options& options, const std::string& interpreter) {
  GateReport report;
  Status scanned = Scan(root, manifest, options, interpreter, report);
  if (!scanned) report.errors.push_back(std::move(scanned.error()));
  Status resolved = Resolve(manifest, options, report);
  if (!resolved && options.mode == bundle::Mode::kStrict) {
    report.errors.push_back(std::move(resolved.error()));
  }
  report.refused = std::ranges::any_of(
      report.errors, [](const Error& error) { return error.severity == Severity::kError; });
  return report;
}

}  // namespace cacheon::verify
