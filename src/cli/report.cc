// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs that look at verdicts that were written earlier.

#include "cacheon/report.h"

#include "src/cli/report_files.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

Result<ExitStatus> RunReport(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Json::Array documents, ReadVerdictFile(arguments.Positional(0)));
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
  ASSIGN_OR_RETURN(const Json left, ReadOneVerdict(arguments.Positional(0)));
  ASSIGN_OR_RETURN(const Json right, ReadOneVerdict(arguments.Positional(1)));
  RETURN_IF_ERROR(Print(report::ComparisonText(left, right)));
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
