// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/row_checker.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cacheon/artifact/identity.h"

namespace cacheon::artifact {
namespace {

class ParsedOp final : public bundle::ParsedArtifactRows {
 public:
  explicit ParsedOp(OpArtifact artifact) : artifact_(std::move(artifact)) {}
  const OpArtifact& artifact() const { return artifact_; }

 private:
  OpArtifact artifact_;
};

// The row of `aot_exports` with this name, as it stands in the document.
std::size_t RowIndex(const Json& exports, std::string_view name) {
  const Json::Array& rows = exports.as_array();
  const auto found = std::ranges::find_if(
      rows, [&](const Json& row) { return row.Find("name")->as_string() == name; });
  return static_cast<std::size_t>(found - rows.begin());
}

std::vector<bundle::Specialization> SpecializationsOf(const OpArtifact& artifact,
                                                      const Json& exports, const KeyPath& path) {
  std::vector<bundle::Specialization> specializations;
  const KeyPath exports_path = path.Key("aot_exports");
  for (const AotExport& row : artifact.exports) {
    const KeyPath row_path = exports_path.At(RowIndex(exports, row.name));
    const KeyPath table_path = row_path.Key("specializes");
    for (std::size_t i = 0; i < row.specializes.size(); ++i) {
      specializations.push_back({row.specialization_requirements[i].capability_field,
                                 row.specializes[i].value,
                                 table_path.Key(row.specializes[i].source).Text()});
    }
  }
  return specializations;
}

}  // namespace

bundle::ArtifactRows RowChecker::Check(const bundle::ArtifactRowInput& row,
                                       std::vector<Error>& errors) const {
  const KeyPath path(row.row_path);
  const std::size_t errors_before = errors.size();
  OpArtifact artifact = ParseOpArtifact(
      {.slot = row.slot, .resources = row.resources, .exports = row.exports, .mode = row.mode},
      path, errors);
  for (std::size_t i = errors_before; i < errors.size(); ++i) {
    errors[i].where = row.places.OfValue(errors[i].where.key_path);
  }
  bundle::ArtifactRows rows;
  if (errors.size() != errors_before) return rows;
  rows.resources = ResourcePlanToJson(artifact.resources)["resources"];
  rows.exports = ExportsToJson(artifact.exports);
  if (!artifact.exports.empty()) {
    rows.specializations = SpecializationsOf(artifact, *row.exports, path);
    rows.takes_cuda_sources = artifact.exports[0].provider->takes_cuda_sources;
  }
  rows.parsed = std::make_shared<ParsedOp>(std::move(artifact));
  return rows;
}

const OpArtifact* DirectArtifactOf(const bundle::ArtifactRows& rows) {
  const auto* parsed = dynamic_cast<const ParsedOp*>(rows.parsed.get());
  return parsed == nullptr ? nullptr : &parsed->artifact();
}

}  // namespace cacheon::artifact
