// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "cacheon/bundle/archive.h"
#include "src/cli/bundle_arguments.h"
#include "src/cli/error_list.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

// An archive inside the folder that it packs would be part of the next one. Code:
// usage.output_inside.
Status CheckOutput(const std::string& root, const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(root, error);
  const fs::path beside = fs::weakly_canonical(fs::absolute(output, error), error);
  const auto [end, unused] =
      std::mismatch(folder.begin(), folder.end(), beside.begin(), beside.end());
  if (end != folder.end()) return {};
  return Fail("usage.output_inside", "the archive would lie in the bundle", {.file = output},
              "name a file outside the folder");
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string root = arguments.Positional(0);
  RETURN_IF_ERROR(CheckFolder(root));
  std::string output = arguments.Value("--output");
  if (output.empty()) {
    ASSIGN_OR_RETURN(output, bundle::DefaultArchiveName(root));
  }
  RETURN_IF_ERROR(CheckOutput(root, output));
  bundle::PackChecks checks = bundle::CheckPackable(root, ModeOf(arguments));
  std::vector<Error> errors = std::move(checks.errors);
  std::ranges::move(checks.warnings, std::back_inserter(errors));
  if (StatusOfErrors(errors) != ExitStatus::kAccepted)
    return ReportErrors(arguments.Value("--json"), errors);
  ASSIGN_OR_RETURN(const bundle::PackReport report, bundle::PackBundle(root, output));
  if (arguments.Has("--json")) {
    const Json document = Json::Object{{"schema", "cacheon.pack.v1"},
                                       {"archive", output},
                                       {"directory", root},
                                       {"content_hash", report.content_hash},
                                       {"file_count", report.file_count},
                                       {"content_bytes", report.content_bytes},
                                       {"errors", ErrorsJson(errors)}};
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(document)));
  } else {
    fmt::print(stderr, "{}", ErrorsText(errors));
    RETURN_IF_ERROR(Print(report.content_hash + "\n"));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kPack = {.name = "pack",
                    .summary = "packs a bundle into its canonical archive and prints its hash",
                    .positionals = {kBundlePositional},
                    .flags = {{"--output",
                               FlagKind::kValue,
                               "FILE",
                               "the archive; default: FOLDER.tar.gz here",
                               {},
                               "-o"},
                              kModeFlag,
                              kJsonFlag},
                    .run = Run};

}  // namespace cacheon::cli
