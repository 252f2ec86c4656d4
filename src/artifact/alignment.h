// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignments are powers of two up to 1 MiB, wherever they are written.

#include "cacheon/artifact/key_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// Code bd.align.
Result<int> ParseAlignment(const Json* value, const KeyPath& path);

}  // namespace cacheon::artifact
