// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/manifest.h"

namespace cacheon::bundle {
namespace {

Json TextOrNull(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json StringList(const std::vector<std::string>& strings) {
  return Json(Json::Array(strings.begin(), strings.end()));
}

Json PathList(const std::vector<DeclaredPath>& paths) {
  Json::Array list;
  for (const DeclaredPath& path : paths) list.emplace_back(path.text);
  return Json(std::move(list));
}

Json OpRowJson(const OpRow& row) {
  Json::Array extra_keys;
  for (const auto& [key, value] : row.extra) extra_keys.emplace_back(key);
  return Json::Object{{"slot", row.slot},
                      {"variant", row.variant},
                      {"source", row.source.text},
                      {"entry", row.entry},
                      {"prepare", TextOrNull(row.prepare)},
                      {"setup", TextOrNull(row.setup)},
                      {"metadata", row.metadata ? Json(row.metadata->text) : Json()},
                      {"dtypes", StringList(row.dtypes)},
                      {"architectures", StringList(row.architectures)},
                      {"base_kernel", TextOrNull(row.base_kernel)},
                      {"override_point", TextOrNull(row.override_point)},
                      {"cuda_sources", PathList(row.cuda_sources)},
                      {"artifact_resources", row.artifact.resources},
                      {"aot_exports", row.artifact.exports},
                      {"extra_keys", std::move(extra_keys)}};
}

}  // namespace

Json ManifestJson(const Manifest& manifest) {
  Json competition;
  if (manifest.competition) {
    competition = Json::Object{{"target", manifest.competition->target},
                               {"mode", CompetitionModeName(manifest.competition->mode)}};
  }
  Json::Array dep_patches;
  for (const DependencyPatch& row : manifest.dep_patches) {
    dep_patches.push_back(Json::Object{{"target", row.target}, {"path", row.path.text}});
  }
  Json::Array ops;
  for (const OpRow& row : manifest.ops) ops.push_back(OpRowJson(row));
  return Json::Object{{"bundle_id", manifest.bundle_id},
                      {"abi_version", manifest.abi_version},
                      {"competition", std::move(competition)},
                      {"dep_patches", std::move(dep_patches)},
                      {"ops", std::move(ops)}};
}

}  // namespace cacheon::bundle
