// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What happens in the child between fork and the first instruction of the interpreter. System calls
// only: another thread of the controller may have held the allocator's lock when it was forked.

#include <array>
#include <cstdint>

#include "src/worker/layers.h"
#include "src/worker/sandbox_plan.h"

namespace cacheon::worker {

// What the child says once, before it becomes the interpreter, and again when that fails. It comes
// from our own code: nothing of the candidate has run.
struct SetupReport {
  LayerStates layers{};
  std::int32_t landlock_abi = 0;
  std::int32_t failed_errno = 0;       // 0: all that is required stands
  std::array<char, 64> failed_step{};  // what was attempted, zero-terminated
};

// Descriptors of the child. The worker keeps 0 to 3 (input, outputs, socket).
struct ChildChannels {
  int null_input;
  int output;
  int errors;
  int socket;
  int go;      // readable once the controller has written the id maps; closed: the controller died
  int report;  // for SetupReports; closed by exec
};
inline constexpr int kWorkerSocket = 3;

// Applies the plan and becomes the interpreter.
[[noreturn]] void RunChild(const SandboxPlan& plan, const ChildChannels& channels,
                           LayerStates namespaces);

// One step of the setup, in its own file. Each returns 0 or the errno of what failed.
struct StepResult {
  int error = 0;
  const char* step = "";
};
StepResult EnterPrivateRoot(const SandboxPlan& plan);

// Returns the ABI in `abi`; ENOSYS or EOPNOTSUPP when the kernel has no Landlock.
int RestrictFiles(const SandboxPlan& plan, std::int32_t& abi);

}  // namespace cacheon::worker
