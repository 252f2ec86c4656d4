// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the verbs that look at a bundle have in common: its folder, the mode, its manifest.

#include <string>

#include "cacheon/bundle/manifest.h"
#include "src/cli/verb.h"

namespace cacheon::cli {

inline const Positional kBundlePositional = {"BUNDLE", "the folder of a bundle"};

inline const Flag kModeFlag = {
    "--mode", FlagKind::kValue, "MODE", "strict (the default) or compat", {"strict", "compat"}};

bundle::Mode ModeOf(const Arguments& arguments);
std::string_view ModeName(bundle::Mode mode);

// Code: usage.no_bundle.
Status CheckFolder(const std::string& bundle);

// The manifest of the bundle at `root`, with the rules of direct artifacts.
bundle::ManifestReading ReadBundleManifest(const std::string& root, bundle::Mode mode);

}  // namespace cacheon::cli
