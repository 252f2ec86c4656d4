// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/report_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cacheon/core/unique_fd.h"
#include "cacheon/report/html.h"
#include "cacheon/report/junit.h"
#include "cacheon/verify/verdict_choices.h"

namespace cacheon::cli {

Result<Json::Array> ReadVerdictFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, verify::kMaxVerdictBytes));
  Result<Json::Array> documents = verify::ReadVerdicts(text);
  if (!documents) return Fail(std::move(documents.error()).InFile(path));
  return documents;
}

Result<Json> ReadOneVerdict(const std::string& path) {
  ASSIGN_OR_RETURN(Json::Array documents, ReadVerdictFile(path));
  if (documents.size() == 1) return std::move(documents.front());
  return Fail("usage.one_verdict", "the file holds the verdicts of several bundles", {.file = path},
              "write one file per bundle with `cacheon verify BUNDLE --json=FILE`");
}

bool WritesToStdout(const Arguments& arguments) {
  static constexpr std::array<std::string_view, 4> kFlags = {"--json", "--junit", "--html",
                                                             "--sarif"};
  return std::ranges::any_of(kFlags,
                             [&](std::string_view flag) { return arguments.Value(flag) == "-"; });
}

Status WriteReports(const Arguments& arguments, std::span<const Json> documents) {
  if (arguments.Has("--junit")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--junit", report::JUnitXml(documents)));
  }
  if (arguments.Has("--html")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--html", report::HtmlPage(documents)));
  }
  return {};
}

}  // namespace cacheon::cli
