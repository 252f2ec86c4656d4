// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/report_files.h"

#include <algorithm>
#include <array>

#include "cacheon/report/html.h"
#include "cacheon/report/junit.h"

namespace cacheon::cli {

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
