// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/bundle_arguments.h"

#include <filesystem>
#include <system_error>

#include "cacheon/artifact/row_checker.h"

namespace cacheon::cli {

bundle::Mode ModeOf(const Arguments& arguments) {
  return arguments.Value("--mode") == "compat" ? bundle::Mode::kCompat : bundle::Mode::kStrict;
}

std::string_view ModeName(bundle::Mode mode) {
  switch (mode) {
    case bundle::Mode::kCompat:
      return "compat";
    case bundle::Mode::kStrict:
      return "strict";
  }
  return "";
}

Status CheckFolder(const std::string& bundle) {
  std::error_code error;
  if (std::filesystem::is_directory(bundle, error)) return {};
  return Fail("usage.no_bundle", "not a directory", {.file = bundle},
              "give the folder of a bundle");
}

bundle::ManifestReading ReadBundleManifest(const std::string& root, bundle::Mode mode) {
  const artifact::RowChecker artifact_rows;
  return bundle::ReadManifest(root, {.mode = mode, .artifact_rows = &artifact_rows});
}

}  // namespace cacheon::cli
