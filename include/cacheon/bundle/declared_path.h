// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Paths that a manifest declares: resolved below the bundle, following links, and never beyond it.

#include <string>
#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

struct DeclaredPath {
  std::string text;      // as declared (trimmed where the field is trimmed)
  std::string resolved;  // relative to the root, canonical, links followed; what paths compare by

  friend bool operator==(const DeclaredPath&, const DeclaredPath&) = default;
};

// What a path is declared for; decides the checks.
enum class PathUse {
  kPlain,  // `source`, `metadata`: may be a link inside the bundle at this stage
  kCuda,   // no link; suffix `.cu` or `.cuh`
  kPatch,  // no link; suffix `.patch` or `.diff`
};

// The root that declared paths are resolved against.
class BundleRoot {
 public:
  // `path` must be a directory. Code: manifest.root_not_directory.
  static Result<BundleRoot> Open(const std::string& path);

  const std::string& path() const { return path_; }  // absolute, without links

  // Resolves `text` as bundle.md section 1.4 says. `..` and `.` are allowed as long as the result
  // stays inside. Codes, in order: manifest.path_empty, manifest.path_nul, manifest.path_absolute,
  // manifest.path_symlink, manifest.path_escape, manifest.path_not_found, manifest.path_not_file,
  // manifest.path_suffix.
  Result<DeclaredPath> Resolve(std::string_view text, PathUse use) const;

 private:
  explicit BundleRoot(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace cacheon::bundle
