// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/op_artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/export_set.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// What Python calls false: the rule about slots without a call ABI applies to other values only.
bool IsFalsy(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_bool()) return !value.as_bool();
  if (value.is_int64()) return value.as_int64() == 0;
  if (value.is_float()) return value.as_float() == 0;
  if (value.is_string()) return value.as_string().empty();
  if (value.is_array()) return value.as_array().empty();
  if (value.is_object()) return value.as_object().empty();
  return false;
}

Result<ResourcePlan> ReadResources(const OpArtifactInput& input, const CallAbi* abi,
                                   const KeyPath& path) {
  ResourcePlan empty{std::string(input.slot), {}};
  if (input.resources == nullptr) return empty;
  if (abi == nullptr && !IsFalsy(*input.resources)) {
    return Fail("rs.need_abi", fmt::format("`{}` has no call ABI for artifacts", input.slot),
                path.where(), "artifact resources belong to direct artifacts");
  }
  if (abi != nullptr) return ParseResourcePlan(*input.resources, *abi, path);
  if (input.resources->is_array()) return empty;
  return Fail("rs.list",
              fmt::format("`artifact_resources` is a list, not {}", Spell(input.resources)),
              path.where());
}

// The rows of `aot_exports`; an empty list when there are none.
Result<const Json::Array*> ReadExportList(const OpArtifactInput& input, const CallAbi* abi,
                                          const KeyPath& path) {
  static const Json::Array kNone;
  if (input.exports == nullptr) return &kNone;
  if (!input.exports->is_array()) {
    return Fail("xp.list", fmt::format("`aot_exports` is a list, not {}", Spell(input.exports)),
                path.where());
  }
  const Json::Array& list = input.exports->as_array();
  if (list.size() > kMaxExportsPerOp) {
    return Fail("xp.count",
                fmt::format("an op has at most {} exports, not {}", kMaxExportsPerOp, list.size()),
                path.where());
  }
  if (!list.empty() && abi == nullptr) {
    return Fail("xp.no_abi", fmt::format("`{}` has no call ABI for artifacts", input.slot),
                path.where(), "use a source row with `entry` for this slot");
  }
  return &list;
}

void CheckNameIsNew(const std::string& name, const KeyPath& path, std::set<std::string>& names,
                    std::vector<Error>& errors) {
  if (name.empty() || names.insert(name).second) return;
  errors.push_back(Fail("xp.name_dup", fmt::format("the op already has an export `{}`", name),
                        path.Key("name").where())
                       .error());
}

std::vector<PlacedExport> ReadExports(const Json::Array& list, const ExportContext& context,
                                      const KeyPath& path, std::vector<Error>& errors) {
  std::vector<PlacedExport> exports;
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    AotExport row = ParseExport(list[i], context, path.At(i), errors);
    CheckNameIsNew(row.name, path.At(i), names, errors);
    exports.push_back({std::move(row), path.At(i).Text()});
  }
  return exports;
}

}  // namespace

OpArtifact ParseOpArtifact(const OpArtifactInput& input, const KeyPath& path,
                           std::vector<Error>& errors) {
  OpArtifact artifact{.abi = FindCallAbi(input.slot), .resources = {}, .exports = {}};
  const std::size_t errors_before = errors.size();
  Result<ResourcePlan> resources =
      ReadResources(input, artifact.abi, path.Key("artifact_resources"));
  if (resources) {
    artifact.resources = *std::move(resources);
  } else {
    errors.push_back(std::move(resources).error());
  }
  const KeyPath exports_path = path.Key("aot_exports");
  const Result<const Json::Array*> list = ReadExportList(input, artifact.abi, exports_path);
  if (!list) errors.push_back(list.error());
  // Rows name resources: with a broken resource plan their errors would be false ones.
  if (errors.size() != errors_before || (*list)->empty()) return artifact;
  const ExportContext context{*artifact.abi, artifact.resources, input.mode};
  std::vector<PlacedExport> exports = ReadExports(**list, context, exports_path, errors);
  if (errors.size() != errors_before) return artifact;
  std::ranges::sort(exports, {}, [](const PlacedExport& placed) {
    const AotExport& row = placed.row;
    return std::tie(row.provider->id, row.plan, row.step, row.name);
  });
  CheckExportSet(exports, context, errors);
  for (PlacedExport& placed : exports) artifact.exports.push_back(std::move(placed.row));
  return artifact;
}

}  // namespace cacheon::artifact
