// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "cacheon/bundle/archive.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string archive = arguments.Positional(0);
  const std::string destination = arguments.Positional(1);
  std::optional<std::string> expected;
  if (arguments.Has("--expect")) expected = arguments.Value("--expect");
  ASSIGN_OR_RETURN(const bundle::UnpackReport report,
                   bundle::UnpackArchive(archive, destination, expected));
  if (!arguments.Has("--json")) {
    RETURN_IF_ERROR(Print(report.content_hash + "\n"));
    return ExitStatus::kAccepted;
  }
  const Json document =
      Json::Object{{"schema", "cacheon.pack.v1"},     {"archive", archive},
                   {"directory", destination},        {"content_hash", report.content_hash},
                   {"file_count", report.file_count}, {"content_bytes", report.content_bytes},
                   {"errors", Json::Array{}}};
  RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(document)));
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kUnpack = {
    .name = "unpack",
    .summary = "extracts an archive that nobody trusts, whole or not at all, and prints its hash",
    .positionals = {{"FILE", "an archive"}, {"DIR", "a folder that is new or empty"}},
    .flags = {{"--expect", FlagKind::kValue, "HASH", "refuses other content than that of HASH"},
              kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
