// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A worker without an interpreter: the same sandbox, grants and protocol around a function of this
// program. For tests and benchmarks of what surrounds a candidate.

#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"
#include "cacheon/worker/worker.h"

namespace cacheon::worker {

// Inputs are views too; a store into one faults.
using NativeArgument = std::variant<tensor::TensorView, bool, std::int64_t, double>;

// What runs in the worker for each call. Returning true reports a returned value.
using NativeEntry = bool (*)(std::span<const NativeArgument> arguments);

// Caveats:
// - The child is a fork of this process without exec. No other thread may hold a lock that `entry`
//   or the allocator needs at that moment.
// - The child has this program's memory, so this is no place for code that nobody trusts.
// - Prepare, and with it PreparedArgument, is not served. Load accepts every name.
// Codes: as for Worker::Start.
Result<std::unique_ptr<Worker>> StartNativeWorker(const WorkerOptions& options, NativeEntry entry);

}  // namespace cacheon::worker
