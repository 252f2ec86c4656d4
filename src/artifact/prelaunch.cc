// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/prelaunch.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/resource_table.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

Status CheckFillValue(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kTexts[] = {"-inf", "+inf", "nan"};
  if (value.is_bool()) return {};
  if (value.is_string()) {
    if (IndexOf(kTexts, &value)) return {};
    return Fail("pf.string",
                fmt::format("a text fill is {}, not {}", JoinNames(kTexts), Spell(&value)),
                path.where());
  }
  if (value.is_float()) {
    if (std::isfinite(value.as_float())) return {};
    return Fail("pf.nonfinite", "a float literal must be finite", path.where(),
                "write one of the texts \"-inf\", \"+inf\" and \"nan\"");
  }
  if (!value.is_integer()) {
    return Fail("pf.type",
                fmt::format("a fill is a bool, a number or a text, not {}", Spell(&value)),
                path.where());
  }
  if (IsInteger64(value)) return {};
  return Fail("pf.range", fmt::format("{} is outside [-2^63, 2^64-1]", Spell(&value)),
              path.where());
}

Result<PrelaunchFill> ParseFill(const Json& row, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {"op", "target", "value"};
  if (!row.is_object()) {
    return Fail("pf.fields", fmt::format("a prelaunch row is a table, not {}", Spell(&row)),
                path.where());
  }
  if (const auto problem = FindFieldProblem(row.as_object(), kKeys)) {
    return Fail("pf.fields", problem->message, path.where(), problem->hint);
  }
  if (TextOf(row.Find("op")) != "fill") {
    return Fail(
        "pf.op",
        fmt::format("the only prelaunch operation is `fill`, not {}", Spell(row.Find("op"))),
        path.Key("op").where());
  }
  if (!IsSourceName(TextOf(row.Find("target")))) {
    return Fail("bd.source_name", fmt::format("{} is no resource name", Spell(row.Find("target"))),
                path.Key("target").where());
  }
  RETURN_IF_ERROR(CheckFillValue(*row.Find("value"), path.Key("value")));
  return PrelaunchFill{std::string(TextOf(row.Find("target"))), *row.Find("value")};
}

}  // namespace

Result<std::vector<PrelaunchFill>> ParsePrelaunch(const Json& rows, const KeyPath& path) {
  if (!rows.is_array()) {
    return Fail("pf.list", fmt::format("`prelaunch` is a list, not {}", Spell(&rows)),
                path.where());
  }
  const Json::Array& list = rows.as_array();
  if (list.size() > kMaxPrelaunchOperations) {
    return Fail("pf.count",
                fmt::format("at most {} prelaunch operations, not {}", kMaxPrelaunchOperations,
                            list.size()),
                path.where());
  }
  std::vector<PrelaunchFill> fills;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(PrelaunchFill fill, ParseFill(list[i], path.At(i)));
    fills.push_back(std::move(fill));
  }
  return fills;
}

Status CheckPrelaunch(const std::vector<PrelaunchFill>& fills, const ExportContext& context,
                      const KeyPath& path) {
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const std::string& target = fills[i].target;
    const auto resource = FindNamedResource(context.abi, context.resources, target);
    if (!resource) {
      return Fail("pf.unknown", fmt::format("`{}` is no resource of this op", target),
                  path.At(i).Key("target").where());
    }
    if (resource->kind != ResourceKind::kTensor || !IsWritable(resource->access)) {
      return Fail("pf.target", fmt::format("`{}` is no tensor that may be written", target),
                  path.At(i).Key("target").where(), "fill an output or an artifact resource");
    }
  }
  return {};
}

}  // namespace cacheon::artifact
