// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The controller's end of one worker process: sends commands, waits for the one frame that is due
// and decides how an exchange ended.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/process.h"
#include "cacheon/worker/worker.h"
#include "src/worker/fault.h"
#include "src/worker/output_capture.h"
#include "src/worker/status_frame.h"
#include "src/worker/supervisor.h"
#include "src/worker/temporary_folder.h"

namespace cacheon::worker {

class ProcessWorker final : public Worker {
 public:
  // `bundle_path` is where the worker finds the bundle; `bundle` holds it, if the host does.
  ProcessWorker(std::unique_ptr<Supervisor> supervisor, IsolationReport isolation,
                std::string bundle_path, TemporaryFolder bundle,
                std::chrono::milliseconds start_limit);

  // Sends the start command. Code: worker.start.
  Status SendStart(int thread_count);
  // Waits for the interpreter to be ready; done at once when it is.
  Outcome AwaitReady();

  const IsolationReport& isolation() const override { return isolation_; }
  Outcome Load(const std::string& source, const std::string& entry, const std::string& prepare,
               std::chrono::milliseconds limit) override;
  Outcome Prepare(std::span<const CallArgument> arguments,
                  std::chrono::milliseconds limit) override;
  Outcome Call(std::span<const CallArgument> arguments, std::chrono::milliseconds limit) override;
  Outcome Revoke(const TensorMemory& memory, std::chrono::milliseconds limit) override;
  Outcome Stop(std::chrono::milliseconds limit) override;
  int thread_count() const override { return CountThreads(); }
  std::string torch_version() const override { return torch_version_; }
  std::string captured_stdout() const override { return output_.text(); }
  std::string captured_stderr() const override { return errors_.text(); }

 private:
  enum class Stage : std::uint8_t { kStarting, kLoading, kCalling };

  // One event of the wait for a frame.
  enum class Event : std::uint8_t { kFrame, kMalformed, kClosed, kTimeout };

  Outcome Exchange(const Json& command, std::span<const int> fds, std::chrono::milliseconds limit);
  Outcome Invoke(const char* op, std::span<const CallArgument> arguments,
                 std::chrono::milliseconds limit);
  std::vector<TensorArgument> NewGrants(std::span<const CallArgument> arguments);
  Event Send(const std::string& text, std::span<const int> fds, const Deadline& deadline);
  Event AwaitFrame(const Deadline& deadline, StatusFrame& frame);
  void WaitForActivity(short socket_events, const Deadline& deadline);

  Outcome FromEvent(Event event);
  Outcome FromFrame(const StatusFrame& frame);
  Outcome FromErrorFrame(const StatusFrame& frame);
  Outcome FromExit(std::optional<int> wait_status);
  // Kills what is left, waits until it is gone, and makes `outcome` that of every later exchange.
  Outcome Finish(Outcome outcome);
  bool AwaitExit(std::chrono::nanoseconds limit);
  int CountThreads() const;

  TemporaryFolder bundle_;  // outlives the process
  std::unique_ptr<Supervisor> supervisor_;
  IsolationReport isolation_;
  std::string bundle_path_;
  std::chrono::milliseconds start_limit_;
  OutputCapture output_;
  OutputCapture errors_;
  Stage stage_ = Stage::kStarting;
  std::uint32_t sequence_ = 0;
  std::string source_;
  std::string torch_version_;
  std::set<std::uint64_t> held_grants_;
  std::vector<Grant> grants_;
  std::optional<Outcome> final_;
};

}  // namespace cacheon::worker
