// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/error_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>
#include <utility>

#include "cacheon/core/unique_fd.h"

namespace cacheon::cli {

std::string ErrorsText(std::span<const Error> errors) {
  std::string text;
  for (const Error& error : errors) {
    if (error.severity != Severity::kError)
      text += std::string(SeverityName(error.severity)) + ": ";
    text += FormatError(error) + "\n";
  }
  return text;
}

Json ErrorsJson(std::span<const Error> errors) {
  Json list = Json::Array{};
  for (const Error& error : errors) list.Append(ErrorToJson(error));
  return list;
}

ExitStatus StatusOfErrors(std::span<const Error> errors) {
  for (const ExitStatus status : {ExitStatus::kInternal, ExitStatus::kEnvironment,
                                  ExitStatus::kUsage, ExitStatus::kRefused}) {
    if (std::ranges::any_of(errors, [&](const Error& error) {
          return error.severity == Severity::kError && StatusOf(error) == status;
        })) {
      return status;
    }
  }
  return ExitStatus::kAccepted;
}

ExitStatus ReportErrors(const std::string& json, std::span<const Error> errors) {
  if (json != "-") fmt::print(stderr, "{}", ErrorsText(errors));
  if (!json.empty()) {
    const Json document =
        Json::Object{{"schema", "cacheon.errors.v1"}, {"errors", ErrorsJson(errors)}};
    const std::string text = PrettyJson(document) + "\n";
    const Status written = json == "-" ? WriteAll(1, text) : WriteFileAtomically(json, text);
    if (!written) {
      fmt::print(stderr, "{}\n", FormatError(written.error()));
      return ExitStatus::kEnvironment;
    }
  }
  return StatusOfErrors(errors);
}

std::vector<Error> WithoutRepeats(std::vector<Error> errors) {
  std::set<std::tuple<Code, std::string, int, int, std::string, std::string>> seen;
  std::vector<Error> kept;
  for (Error& error : errors) {
    const Place& where = error.where;
    if (seen.emplace(error.code, where.file, where.line, where.column, where.key_path, error.symbol)
            .second) {
      kept.push_back(std::move(error));
    }
  }
  return kept;
}

}  // namespace cacheon::cli
