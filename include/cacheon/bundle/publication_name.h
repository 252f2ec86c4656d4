// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names under which a bundle's files can be published to workers; narrower than what hashes.

#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

inline constexpr std::size_t kMaxPublicationComponents = 32;
inline constexpr std::size_t kMaxPublicationPathBytes = 1024;

// ASCII, at most 32 components and 1,024 bytes; a component starts with a letter or digit and goes
// on with those or `._+@=,-[] `, at most 255 bytes; the last one may also be `__init__.py` or
// `_x.so`: one or two underscores, an identifier, suffixes, and `.py` or `.so`. Code: publish.path.
Status CheckPublicationPath(std::string_view path);

}  // namespace cacheon::bundle
