// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/manifest.h"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>

#include "src/cli/bundle_arguments.h"
#include "src/cli/error_list.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string root = arguments.Positional(0);
  const bundle::Mode mode = ModeOf(arguments);
  RETURN_IF_ERROR(CheckFolder(root));
  bundle::ManifestReading reading = ReadBundleManifest(root, mode);
  std::vector<Error> errors = std::move(reading.errors);
  std::ranges::move(reading.warnings, std::back_inserter(errors));
  const Json view = reading.manifest ? bundle::ManifestJson(*reading.manifest) : Json();
  if (arguments.Has("--json")) {
    const Json document = Json::Object{{"schema", "cacheon.manifest.v1"},
                                       {"mode", ModeName(mode)},
                                       {"manifest", view},
                                       {"errors", ErrorsJson(errors)}};
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(document)));
  } else {
    fmt::print(stderr, "{}", ErrorsText(errors));
    if (reading.manifest) RETURN_IF_ERROR(Print(PrettyJson(view) + "\n"));
  }
  return StatusOfErrors(errors);
}

}  // namespace

const Verb kManifest = {.name = "manifest",
                        .summary = "the canonical view of a manifest, or all its errors",
                        .positionals = {kBundlePositional},
                        .flags = {kModeFlag, kJsonFlag},
                        .run = Run};

}  // namespace cacheon::cli
