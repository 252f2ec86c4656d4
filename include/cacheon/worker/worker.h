// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One sandboxed process per candidate, seen from the controller.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/worker/interpreter.h"
#include "cacheon/worker/isolation.h"
#include "cacheon/worker/memory.h"

namespace cacheon::worker {

struct WorkerOptions {
  Interpreter interpreter;
  std::string bundle_root;  // absolute; visible read-only to the worker
  int thread_count = 1;     // torch threads (OMP_NUM_THREADS)
  std::size_t address_space_bytes = std::size_t{8} << 30U;
  std::size_t scratch_bytes = std::size_t{256} << 20U;  // the private tmp
  // What the interpreter may take to import torch; not charged to the candidate's limits.
  std::chrono::milliseconds start_limit = std::chrono::minutes(2);
  bool require_full_isolation = false;  // a missing layer is env.isolation
  bool use_namespaces = true;           // false: as on a machine that forbids them
};

// How an exchange with the worker ended. Everything but kDone is a fault of the candidate or, for
// kInfrastructure, of the machine; `error` says which, with its code and, for a memory fault, the
// tensor, direction and element in the message.
enum class Ending : std::uint8_t {
  kDone,
  kRaised,          // the candidate raised; the text is untrusted
  kTimedOut,        // killed with its whole tree
  kExited,          // left by itself (os._exit, sys.exit in a thread, ...)
  kKilled,          // a signal that we did not send; a forbidden system call (iso.seccomp)
  kFaulted,         // a memory access that the kernel refused
  kProtocol,        // sent anything but the one frame that was due
  kInfrastructure,  // the machine failed; says nothing about the candidate
};

struct Outcome {
  Ending ending = Ending::kDone;
  std::optional<Error> error = {};     // absent exactly for kDone
  std::chrono::nanoseconds elapsed{};  // by the controller's monotonic clock
  bool returned_value = false;         // the entry returned something other than None
  // What the census around the call saw (advisory, taken by the controller from outside).
  int threads_before = 0;
  int threads_after = 0;

  bool done() const { return ending == Ending::kDone; }
};

// An argument of the entry or of prepare. Memory must stay alive until the worker ends or the
// argument's grant is revoked.
struct TensorArgument {
  const TensorMemory* memory;
  bool writable;  // false: the worker gets the read-only descriptor; seal the memory first
};
struct PreparedArgument {};
using CallArgument = std::variant<TensorArgument, bool, std::int64_t, double, PreparedArgument>;

// Not thread-safe. Once an exchange has ended in anything but kDone or kRaised, the process is gone
// and reaped, and every later exchange returns the same outcome. Caveat: a program that waits for
// children that it did not start (`waitpid(-1)`) takes from us what the kernel says about workers.
class Worker {
 public:
  // Starts the process and its interpreter; returns before torch is imported, so that the
  // controller can work meanwhile. Codes: worker.start, env.isolation, env.python_missing.
  static Result<std::unique_ptr<Worker>> Start(const WorkerOptions& options);

  virtual ~Worker() = default;  // kills the tree, waits for it and removes the private tmp

  virtual const IsolationReport& isolation() const = 0;

  // Waits for torch, within the start limit, then imports the candidate's file and looks the
  // callables up. `source` is relative to the bundle; an empty `prepare` is none.
  // Codes: cand.import, cand.syntax, cand.entry_missing, cand.source_missing, env.torch_missing and
  // those that any exchange can end with: cand.timeout, cand.exit, cand.killed, cand.crash,
  // cand.protocol, iso.seccomp, in.mutated, mem.oob_write, mem.oob_read, mem.oob_access,
  // worker.killed, worker.survivor, worker.shim.
  virtual Outcome Load(const std::string& source, const std::string& entry,
                       const std::string& prepare, std::chrono::milliseconds limit) = 0;
  // Calls prepare with these arguments and keeps what it returns. Code: cand.raised.
  virtual Outcome Prepare(std::span<const CallArgument> arguments,
                          std::chrono::milliseconds limit) = 0;
  // Calls the entry once. Grants that the worker does not hold yet are sent along.
  // Code: cand.raised.
  virtual Outcome Call(std::span<const CallArgument> arguments,
                       std::chrono::milliseconds limit) = 0;
  // Drops the worker's mapping of a tensor (memory about to be destroyed or reused).
  virtual Outcome Revoke(const TensorMemory& memory, std::chrono::milliseconds limit) = 0;
  // Ends the worker in good order: nothing stray was sent, and the process leaves by itself. A
  // candidate that sent its own "done" ahead of the real one is noticed here at the latest.
  virtual Outcome Stop(std::chrono::milliseconds limit) = 0;

  // How many threads the process has now, seen from outside; 0 when that cannot be seen.
  virtual int thread_count() const { return 0; }
  // The version that the interpreter reported after Load; untrusted text, at most 64 bytes.
  virtual std::string torch_version() const = 0;
  // What the candidate printed, at most 64 KiB of each stream.
  virtual std::string captured_stdout() const = 0;
  virtual std::string captured_stderr() const = 0;
};

}  // namespace cacheon::worker
