// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// worker: runs candidates in sandboxed processes. The controller side grants mappings of memory
// that it owns, asks for calls and judges what the kernel says about the process; nothing that a
// worker sends can express more than ready, done or error.

#include "cacheon/worker/interpreter.h"  // IWYU pragma: export
#include "cacheon/worker/isolation.h"    // IWYU pragma: export
#include "cacheon/worker/memory.h"       // IWYU pragma: export
#include "cacheon/worker/native.h"       // IWYU pragma: export
#include "cacheon/worker/worker.h"       // IWYU pragma: export
