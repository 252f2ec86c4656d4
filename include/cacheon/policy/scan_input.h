// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a bundle on disk to what the scan reads.

#include <string>

#include "cacheon/bundle/manifest.h"
#include "cacheon/bundle/tree_contents.h"
#include "cacheon/policy/scan.h"

namespace cacheon::policy {

// Whether some row of the bundle at `root` must run while a CUDA graph is captured: its slot always
// does, or its metadata says so. True also when the metadata cannot be read: the stricter rules.
bool RunsUnderCapture(const std::string& root, const bundle::Manifest& manifest);

// What the scan needs of the bundle at `root`. `manifest` is null for a folder that has none.
// `contents` must outlive the result.
ScanBundle MakeScanBundle(const std::string& root, const bundle::TreeContents& contents,
                          const bundle::Manifest* manifest);

}  // namespace cacheon::policy
