// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts sandboxed processes of either kind, with as many layers as the machine gives.

#include <memory>

#include "cacheon/core/result.h"
#include "cacheon/worker/worker.h"
#include "src/worker/sandbox_plan.h"

namespace cacheon::worker {

// With `native_main` empty, the interpreter of the options. Codes: as for Worker::Start.
Result<std::unique_ptr<Worker>> StartProcess(const WorkerOptions& options,
                                             const NativeMain& native_main);

}  // namespace cacheon::worker
