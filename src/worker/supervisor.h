// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The thread that owns a worker process: it forks it, traces it, learns from the kernel how it
// faulted or ended, and reaps it. One thread per worker, because only the thread that traces may
// wait for what it traces, and because a parent-death signal is tied to the thread that forked.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"
#include "src/worker/fault.h"
#include "src/worker/sandbox_child.h"
#include "src/worker/sandbox_plan.h"

namespace cacheon::worker {

// The controller's ends.
struct WorkerChannels {
  UniqueFd socket;
  UniqueFd output;  // non-blocking
  UniqueFd errors;  // non-blocking
};

class Supervisor {
 public:
  // A start that failed, and whether fewer namespaces may help.
  struct Failure {
    Error error;
    bool namespaces_refused = false;
  };

  // Forks the child, lets it lock itself in and waits until it has become the interpreter.
  // Codes: worker.start, process.channel, env.python_missing.
  static std::expected<std::unique_ptr<Supervisor>, Failure> Start(const SandboxPlan& plan);

  ~Supervisor();                           // kills and reaps
  Supervisor(const Supervisor&) = delete;  // its thread points to it
  Supervisor& operator=(const Supervisor&) = delete;

  const SetupReport& report() const;
  WorkerChannels& channels();
  pid_t pid() const;  // stays the worker's until this object is gone
  void Kill();

  // Becomes readable when the process and all its threads are gone and reaped.
  int exit_event() const;
  // As from waitpid(2); once exit_event is readable.
  std::optional<int> exit_status() const;
  // The first access that the kernel refused; the worker was killed for it.
  std::optional<FaultRecord> fault() const;

 private:
  struct State;
  explicit Supervisor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cacheon::worker
