// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// core: what every other module stands on. Errors with stable codes and places, SHA-256, JSON
// values and their canonical bytes, counter-based random numbers, UTF-8, and owned file
// descriptors. Nothing here knows what a bundle or a tensor is.

#include "cacheon/core/code.h"       // IWYU pragma: export
#include "cacheon/core/error.h"      // IWYU pragma: export
#include "cacheon/core/json.h"       // IWYU pragma: export
#include "cacheon/core/parallel.h"   // IWYU pragma: export
#include "cacheon/core/philox.h"     // IWYU pragma: export
#include "cacheon/core/process.h"    // IWYU pragma: export
#include "cacheon/core/result.h"     // IWYU pragma: export
#include "cacheon/core/sha256.h"     // IWYU pragma: export
#include "cacheon/core/unicode.h"    // IWYU pragma: export
#include "cacheon/core/unique_fd.h"  // IWYU pragma: export
#include "cacheon/core/utf8.h"       // IWYU pragma: export
#include "cacheon/core/version.h"    // IWYU pragma: export
