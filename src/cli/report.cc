// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs that look at verdicts that were written earlier.

#include "cacheon/report.h"

#include <utility>

#include "cacheon/core/unique_fd.h"
#include "cacheon/verify/verdict.h"
#include "cacheon/verify/verdict_choices.h"
#include "src/cli/report_files.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

// The verdicts of a file: one document, or a list of them as `verify` writes for several bundles.
Result<Json::Array> ReadVerdicts(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, verify::kMaxVerdictBytes));
  Result<Json> content = ReadJson(text, {.max_bytes = verify::kMaxVerdictBytes});
  if (!content) return Fail(std::move(content.error()).InFile(path));
  Json::Array documents =
      content->is_array() ? std::move(content->as_array()) : Json::Array{std::move(*content)};
  for (const Json& document : documents) {
    if (Status checked = verify::CheckVerdictDocument(document); !checked) {
      return Fail(std::move(checked.error()).InFile(path));
    }
  }
  return documents;
}

Result<ExitStatus> RunReport(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Json::Array documents, ReadVerdicts(arguments.Positional(0)));
  if (arguments.Has("--junit") || arguments.Has("--html")) {
    RETURN_IF_ERROR(WriteReports(arguments, documents));
    return ExitStatus::kAccepted;
  }
  for (const Json& document : documents) {
    RETURN_IF_ERROR(
        Print(report::VerdictText(document, {.every_case = arguments.Has("--verbose")})));
  }
  return ExitStatus::kAccepted;
}

Result<ExitStatus> RunCompare(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Json::Array left, ReadVerdicts(arguments.Positional(0)));
  ASSIGN_OR_RETURN(const Json::Array right, ReadVerdicts(arguments.Positional(1)));
  if (left.size() != 1 || right.size() != 1) {
    return Fail("usage.one_verdict", "a file of several verdicts cannot be compared",
                {.file = arguments.Positional(left.size() != 1 ? 0 : 1)},
                "write one file per bundle with `cacheon verify BUNDLE --json=FILE`");
  }
  RETURN_IF_ERROR(Print(report::ComparisonText(left.front(), right.front())));
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kReport = {
    .name = "report",
    .summary = "views of a verdict document; text without a flag",
    .positionals = {{"FILE", "a file that verify --json=FILE wrote"}},
    .flags = {kHtmlFlag,
              kJUnitFlag,
              {"--verbose", FlagKind::kSwitch, {}, "every case, also those that passed", {}, "-v"}},
    .run = RunReport};

const Verb kCompare = {.name = "compare",
                       .summary = "two verdict documents side by side",
                       .positionals = {{"A", "a verdict document"}, {"B", "another one"}},
                       .flags = {},
                       .run = RunCompare};

}  // namespace cacheon::cli
