// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/declare.h"

#include <utility>

#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {
namespace {

DeclaredRow DeclareRow(const bundle::Manifest& manifest, const bundle::OpRow& op) {
  DeclaredRow row{.slot = op.slot,
                  .variant = op.variant,
                  .has_prepare = op.prepare.has_value(),
                  .has_setup = op.setup.has_value(),
                  .has_override = op.base_kernel.has_value() || op.override_point.has_value(),
                  .where = manifest.places->OfValue(op.key_path)};
  for (const bundle::DeclaredPath& path : op.cuda_sources) row.cuda_sources.push_back(path.text);
  for (const Json& exported : op.artifact.exports.as_array()) {
    row.providers.push_back(exported.Find("provider")->as_string());
  }
  for (const auto& [key, unused] : op.extra) row.extra_keys.push_back(key);
  return row;
}

}  // namespace

Declaration Declare(const bundle::Manifest& manifest) {
  Declaration declaration;
  for (const bundle::OpRow& op : manifest.ops) declaration.rows.push_back(DeclareRow(manifest, op));
  for (const bundle::DependencyPatch& patch : manifest.dep_patches) {
    declaration.patched_dependencies.push_back(patch.target);
  }
  if (manifest.competition) {
    declaration.competition = CompetitionRequest{
        .target = manifest.competition->target,
        .mode = std::string(bundle::CompetitionModeName(manifest.competition->mode)),
        .where = manifest.places->OfValue("competition")};
  }
  return declaration;
}

Result<RowEligibility> ReadEligibility(const std::string& root, const bundle::Manifest& manifest,
                                       const bundle::OpRow& row, bundle::Mode mode) {
  Metadata metadata;
  if (row.metadata) {
    const std::string& file = row.metadata->resolved;
    Result<std::string> text = ReadFile(root + "/" + file, kMaxMetadataBytes, false);
    if (!text) return Fail(std::move(text).error().At({.file = file}));
    Result<Metadata> read = ReadMetadata(*text);
    if (!read) return Fail(std::move(read).error().InFile(file));
    metadata = *std::move(read);
    for (Error& warning : metadata.warnings) warning.where.file = file;
  }
  Result<Eligibility> eligibility = ParseEligibility(metadata.value, row.dtypes, row.architectures);
  if (!eligibility) {
    Error error = std::move(eligibility).error();
    if (error.code == Code("elig.disjoint")) {
      return Fail(std::move(error).At(manifest.places->OfValue(row.key_path)));
    }
    return Fail(row.metadata ? std::move(error).InFile(row.metadata->resolved) : std::move(error));
  }
  if (mode == bundle::Mode::kCompat) metadata.warnings.clear();
  return RowEligibility{*std::move(eligibility), std::move(metadata.warnings)};
}

}  // namespace cacheon::policy
