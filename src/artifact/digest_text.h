// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Digests as documents carry them.

#include <string>

#include "cacheon/artifact/key_path.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

enum class ZeroDigest { kRefuse, kAdmit };

// 64 lower-case hex digits. Codes dg.format and, unless zero is admitted, dg.zero.
Result<std::string> ParseDigest(const Json* value, ZeroDigest zero, const KeyPath& path);

}  // namespace cacheon::artifact
