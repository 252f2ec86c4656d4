// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Watches one process for memory faults by ptrace, without slowing its calls: it stops only for
// signals and new threads. Every function must be called by the thread that called Seize.

#include <sys/types.h>

#include <optional>

#include "cacheon/core/unique_fd.h"
#include "src/worker/fault.h"

namespace cacheon::worker {

class Tracer {
 public:
  // Attaches; the tracee dies with the calling thread. Returns 0 or an errno.
  int Seize(pid_t process);
  bool active() const { return process_ > 0; }

  // Handles a stop that waitpid reported for `thread` and lets it go on. Returns a fault when the
  // stop is one: the caller then kills the process.
  std::optional<FaultRecord> HandleStop(pid_t thread, int wait_status);

 private:
  void OpenMaps();
  std::optional<FaultRecord> HandleSignal(pid_t thread, int signal);

  pid_t process_ = 0;
  UniqueFd maps_;  // opened early: once the worker is undumpable, only a privileged tracer may
};

}  // namespace cacheon::worker
