// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/verdict_sarif.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "src/report/fields.h"

namespace cacheon::report {
namespace {

int PositionOf(const Json& where, std::string_view key) {
  const Json& value = Member(where, key);
  if (!value.is_int64() || value.as_int64() < 0) return 0;
  const std::int64_t position = value.as_int64();
  return position <= std::numeric_limits<int>::max() ? static_cast<int>(position) : 0;
}

Severity SeverityOf(const Json& error) {
  const std::string name = Text(error, "severity");
  return name == "warning" ? Severity::kWarning
         : name == "note"  ? Severity::kNote
                           : Severity::kError;
}

std::string Below(std::string_view folder, std::string file) {
  if (file.empty()) file = "manifest.toml";
  if (folder.empty() || file.starts_with('/')) return file;
  return fmt::format("{}/{}", folder, file);
}

std::optional<Error> ErrorOf(const Json& error, const std::string& row, std::string_view folder) {
  const std::optional<Code> code = Code::Find(Text(error, "code"));
  if (!code) return std::nullopt;
  const Json& where = Member(error, "where");
  return Error{.code = *code,
               .message = (row.empty() ? "" : row + ": ") + Text(error, "message"),
               .where = {.file = Below(folder, Text(where, "file")),
                         .line = PositionOf(where, "line"),
                         .column = PositionOf(where, "column"),
                         .key_path = Text(where, "key_path")},
               .hint = Text(error, "hint"),
               .severity = SeverityOf(error)};
}

void AddErrors(std::vector<Error>& errors, const Json& holder, const std::string& row,
               std::string_view folder) {
  for (const Json& one : List(holder, "errors")) {
    if (std::optional<Error> error = ErrorOf(one, row, folder)) errors.push_back(std::move(*error));
  }
}

// The errors of a row's cases, each kind once.
void AddCaseErrors(std::vector<Error>& errors, const Json& row, std::string_view folder) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, int>> seen;
  for (const Json& result : List(row, "cases")) {
    std::vector<Error> own;
    AddErrors(own, result, RowName(row), folder);
    for (Error& error : own) {
      const std::string key_path = error.where.key_path.substr(0, error.where.key_path.find('['));
      const auto [found, added] = seen.try_emplace(
          {std::string(error.code.text()), error.where.file + "\n" + key_path}, errors.size(), 0);
      ++found->second.second;
      if (added) errors.push_back(std::move(error));
    }
  }
  for (const auto& [kind, place] : seen) {
    const auto& [index, count] = place;
    if (count > 1) errors[index].message += fmt::format(" ({} cases)", count);
  }
}

}  // namespace

std::vector<Error> ErrorsOf(const Json& document, std::string_view folder) {
  std::vector<Error> errors;
  AddErrors(errors, document, "", folder);
  for (const Json& row : List(document, "rows")) {
    AddErrors(errors, row, RowName(row), folder);
    AddCaseErrors(errors, row, folder);
  }
  return errors;
}

}  // namespace cacheon::report
