// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Paths inside sealed publications: relative, ASCII, bounded, with names that no reader can take
// for something hidden or special.

#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon::artifact {

enum class PathLeaf { kFile, kDirectory };

// Components are [A-Za-z0-9][A-Za-z0-9._+@=,\-\[\] ]{0,254}; the last one of a file may instead be
// a Python module or extension that starts with one or two underscores. Codes np.path, np.len,
// np.depth, np.component; the place's file is the path.
Status CheckPublicationPath(std::string_view path, PathLeaf leaf);

}  // namespace cacheon::artifact
