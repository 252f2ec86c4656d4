// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/process_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>
#include <variant>

#include "src/worker/command.h"
#include "src/worker/seccomp_policy.h"

namespace cacheon::worker {
namespace {

// A process that closed its socket is about to end; one that is killed ends soon, whatever it does.
constexpr std::chrono::seconds kExitLimit{1};
constexpr std::chrono::seconds kReapLimit{30};
constexpr std::size_t kMaxVersionBytes = 64;

Outcome Ended(Ending ending, Error error) { return {.ending = ending, .error = std::move(error)}; }

Error ProtocolError(std::string message) {
  return Fail("cand.protocol", std::move(message), {},
              "leave the process's descriptors alone and return from the entry normally")
      .error();
}

Error InfrastructureError(Code code, std::string message) {
  return Fail(code, std::move(message)).error();
}

// The last line that is not blank, for hints.
std::string LastLine(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

ProcessWorker::ProcessWorker(std::unique_ptr<Supervisor> supervisor, IsolationReport isolation,
                             std::string bundle_path, TemporaryFolder bundle,
                             std::chrono::milliseconds start_limit)
    : bundle_(std::move(bundle)),
      supervisor_(std::move(supervisor)),
      isolation_(std::move(isolation)),
      bundle_path_(std::move(bundle_path)),
      start_limit_(start_limit),
      output_(std::move(supervisor_->channels().output)),
      errors_(std::move(supervisor_->channels().errors)) {}

Status ProcessWorker::SendStart(int thread_count) {
  ASSIGN_OR_RETURN(const auto filter, RunFilter());
  const bool traced = StateOf(supervisor_->report().layers, LayerKind::kFaultAttribution) == 0;
  const std::string text =
      DocumentJson(StartCommand(thread_count, traced, std::as_bytes(std::span(filter))));
  const Deadline deadline = Deadline::After(start_limit_);
  if (Send(text, {}, deadline) == Event::kFrame) return {};
  return Fail("worker.start", "the worker ended before it was told to start");
}

Outcome ProcessWorker::AwaitReady() {
  if (final_) return *final_;
  if (stage_ != Stage::kStarting) return {};
  StatusFrame frame;
  const Event event = AwaitFrame(Deadline::After(start_limit_), frame);
  if (event != Event::kFrame) return FromEvent(event);
  if (frame.kind == FrameKind::kReady) {
    torch_version_ = frame.text.substr(0, kMaxVersionBytes);
    stage_ = Stage::kLoading;
    return {};
  }
  const bool no_torch = frame.detail == static_cast<std::uint32_t>(ErrorKind::kNoTorch);
  return Finish(Ended(
      Ending::kInfrastructure,
      no_torch
          ? Fail("env.torch_missing", "torch cannot be imported: " + frame.text, {},
                 "install python3-torch or name another interpreter with --python")
                .error()
          : InfrastructureError("worker.start", "the interpreter did not start: " + frame.text)));
}

Outcome ProcessWorker::Load(const std::string& source, const std::string& entry,
                            const std::string& prepare, std::chrono::milliseconds limit) {
  source_ = source;
  if (Outcome ready = AwaitReady(); !ready.done()) return ready;
  stage_ = Stage::kLoading;
  Outcome outcome =
      Exchange(LoadCommand(++sequence_, bundle_path_, source, entry, prepare), {}, limit);
  if (outcome.done()) stage_ = Stage::kCalling;
  return outcome;
}

Outcome ProcessWorker::Prepare(std::span<const CallArgument> arguments,
                               std::chrono::milliseconds limit) {
  return Invoke("prepare", arguments, limit);
}

Outcome ProcessWorker::Call(std::span<const CallArgument> arguments,
                            std::chrono::milliseconds limit) {
  return Invoke("call", arguments, limit);
}

Outcome ProcessWorker::Revoke(const TensorMemory& memory, std::chrono::milliseconds limit) {
  Outcome outcome;
  for (const bool writable : {false, true}) {
    const std::uint64_t id = GrantId({.memory = &memory, .writable = writable});
    if (!held_grants_.contains(id)) continue;
    outcome = Exchange(RevokeCommand(++sequence_, id), {}, limit);
    held_grants_.erase(id);
    if (!outcome.done()) break;
  }
  std::erase_if(grants_, [&](const Grant& grant) { return grant.memory == &memory; });
  return outcome;
}

Outcome ProcessWorker::Stop(std::chrono::milliseconds limit) {
  if (Outcome ready = AwaitReady(); !ready.done()) return ready;
  Outcome outcome = Exchange(StopCommand(++sequence_), {}, limit);
  if (!outcome.done()) return outcome;
  StatusFrame stray;
  const Event event = AwaitFrame(Deadline::After(limit), stray);
  if (event == Event::kFrame) return FromEvent(Event::kMalformed);
  if (event != Event::kClosed || !AwaitExit(kExitLimit)) return FromEvent(event);
  const std::optional<int> status = supervisor_->exit_status();
  if (!status || *status != 0) return FromEvent(Event::kClosed);
  final_ = Ended(Ending::kExited, Fail("cand.exit", "the worker has been stopped").error());
  return outcome;
}

Outcome ProcessWorker::Invoke(const char* op, std::span<const CallArgument> arguments,
                              std::chrono::milliseconds limit) {
  if (final_) return *final_;
  CACHEON_CHECK(stage_ == Stage::kCalling, "a call before the candidate was loaded");
  const std::vector<TensorArgument> fresh = NewGrants(arguments);
  std::vector<int> fds;
  for (const TensorArgument& grant : fresh) {
    fds.push_back(grant.writable ? grant.memory->writable_fd() : grant.memory->read_only_fd());
  }
  return Exchange(CallCommand(++sequence_, op, fresh, arguments), fds, limit);
}

// The tensors that the worker does not hold yet, each once; counts them as held.
std::vector<TensorArgument> ProcessWorker::NewGrants(std::span<const CallArgument> arguments) {
  std::vector<TensorArgument> fresh;
  for (const CallArgument& argument : arguments) {
    const auto* tensor = std::get_if<TensorArgument>(&argument);
    if (tensor == nullptr || !held_grants_.insert(GrantId(*tensor)).second) continue;
    CACHEON_CHECK(!tensor->writable || !tensor->memory->sealed(), "a writable grant of an input");
    struct stat info{};
    CACHEON_CHECK(fstat(tensor->memory->read_only_fd(), &info) == 0, "a tensor has no file");
    grants_.push_back({.memory = tensor->memory,
                       .device = std::uint64_t{major(info.st_dev)} << 32U | minor(info.st_dev),
                       .inode = info.st_ino,
                       .writable = tensor->writable});
    fresh.push_back(*tensor);
  }
  return fresh;
}

Outcome ProcessWorker::Exchange(const Json& command, std::span<const int> fds,
                                std::chrono::milliseconds limit) {
  if (final_) return *final_;
  const std::string text = DocumentJson(command);
  CACHEON_CHECK(text.size() <= kMaxCommandBytes, "a command is longer than the shim reads");
  // Nothing is due now: whatever lies in the socket was not asked for.
  StatusFrame frame;
  std::array<std::byte, 1> byte{};
  const MessageState pending = ReceiveMessage(supervisor_->channels().socket.get(), byte).state;
  if (pending == MessageState::kClosed) return FromEvent(Event::kClosed);
  if (pending != MessageState::kWouldBlock) return FromEvent(Event::kMalformed);

  const int threads_before = CountThreads();
  const auto begin = Deadline::Clock::now();
  const Deadline deadline = Deadline::After(limit);
  Event event = Send(text, fds, deadline);
  if (event == Event::kFrame) event = AwaitFrame(deadline, frame);
  const auto elapsed = Deadline::Clock::now() - begin;
  Outcome outcome = event == Event::kFrame ? FromFrame(frame) : FromEvent(event);
  outcome.elapsed = elapsed;
  outcome.threads_before = threads_before;
  outcome.threads_after = final_ ? 0 : CountThreads();
  return outcome;
}

// kFrame: sent.
ProcessWorker::Event ProcessWorker::Send(const std::string& text, std::span<const int> fds,
                                         const Deadline& deadline) {
  for (;;) {
    const MessageState state = SendMessage(supervisor_->channels().socket.get(), text, fds);
    if (state == MessageState::kComplete) return Event::kFrame;
    if (state != MessageState::kWouldBlock) return Event::kClosed;
    if (deadline.passed()) return Event::kTimeout;
    WaitForActivity(POLLOUT, deadline);
  }
}

ProcessWorker::Event ProcessWorker::AwaitFrame(const Deadline& deadline, StatusFrame& frame) {
  FrameBytes bytes;
  for (;;) {
    const Received received = ReceiveMessage(supervisor_->channels().socket.get(), bytes);
    if (received.state == MessageState::kClosed) return Event::kClosed;
    if (received.state == MessageState::kTooLarge) return Event::kMalformed;
    if (received.state == MessageState::kComplete) {
      auto parsed = ParseStatusFrame(std::span(bytes).first(received.size));
      if (!parsed) return Event::kMalformed;
      frame = std::move(*parsed);
      output_.Drain();
      errors_.Drain();
      return Event::kFrame;
    }
    if (deadline.passed()) return Event::kTimeout;
    WaitForActivity(POLLIN, deadline);
  }
}

// Until the socket is ready or the process is gone, taking its output meanwhile.
void ProcessWorker::WaitForActivity(short socket_events, const Deadline& deadline) {
  std::array<pollfd, 3> fds = {
      pollfd{.fd = supervisor_->channels().socket.get(), .events = socket_events, .revents = 0},
      pollfd{.fd = output_.fd(), .events = POLLIN, .revents = 0},
      pollfd{.fd = errors_.fd(), .events = POLLIN, .revents = 0}};
  poll(fds.data(), fds.size(), deadline.PollTimeout());
  if (fds[1].revents != 0) output_.Drain();
  if (fds[2].revents != 0) errors_.Drain();
}

Outcome ProcessWorker::FromEvent(Event event) {
  const bool starting = stage_ == Stage::kStarting;
  switch (event) {
    case Event::kFrame:
      break;
    case Event::kMalformed:
      return Finish(
          Ended(Ending::kProtocol, ProtocolError("the worker sent a message that was not due")));
    case Event::kTimeout:
      if (starting) {
        return Finish(Ended(Ending::kInfrastructure,
                            InfrastructureError("worker.start", "torch was not imported in time")));
      }
      return Finish(Ended(
          Ending::kTimedOut,
          Fail("cand.timeout", "the candidate did not finish in time and was killed").error()));
    case Event::kClosed:
      if (AwaitExit(kExitLimit)) return FromExit(supervisor_->exit_status());
      return Finish(
          Ended(Ending::kProtocol, ProtocolError("the worker closed its socket and stayed alive")));
  }
  return {};
}

Outcome ProcessWorker::FromFrame(const StatusFrame& frame) {
  if (frame.sequence != sequence_ || frame.kind == FrameKind::kReady) {
    return FromEvent(Event::kMalformed);
  }
  if (frame.kind == FrameKind::kDone) return {.returned_value = frame.detail == 1};
  return FromErrorFrame(frame);
}

Outcome ProcessWorker::FromErrorFrame(const StatusFrame& frame) {
  const Place place{.file = source_, .line = static_cast<int>(frame.line)};
  const bool loading = stage_ == Stage::kLoading;
  switch (static_cast<ErrorKind>(frame.detail)) {
    case ErrorKind::kRaised:
      return Ended(Ending::kRaised,
                   loading ? Fail("cand.import", "importing raised " + frame.text, place).error()
                           : Fail("cand.raised", "kernel raised: " + frame.text, place).error());
    case ErrorKind::kSyntax:
      return Ended(Ending::kRaised, Fail("cand.syntax", frame.text, place).error());
    case ErrorKind::kNoEntry:
      return Ended(Ending::kRaised, Fail("cand.entry_missing", frame.text, place).error());
    case ErrorKind::kNoFile:
      return Ended(Ending::kRaised, Fail("cand.source_missing", frame.text, place).error());
    case ErrorKind::kSetup:
      return Finish(Ended(Ending::kInfrastructure, InfrastructureError("worker.shim", frame.text)));
    case ErrorKind::kNoTorch:
      break;
  }
  return FromEvent(Event::kMalformed);
}

// The process is gone: the kernel says how.
Outcome ProcessWorker::FromExit(std::optional<int> wait_status) {
  if (stage_ == Stage::kStarting) {
    Error error = InfrastructureError("worker.start", "the interpreter ended while it started");
    output_.Drain();
    errors_.Drain();
    error.hint = LastLine(errors_.text());
    return Finish(Ended(Ending::kInfrastructure, std::move(error)));
  }
  if (const std::optional<FaultRecord> fault = supervisor_->fault()) {
    return Finish(Ended(Ending::kFaulted, DescribeFault(*fault, grants_)));
  }
  if (!wait_status) {
    return Finish(
        Ended(Ending::kInfrastructure,
              InfrastructureError("worker.survivor", "the end of the worker was not seen")));
  }
  if (WIFEXITED(*wait_status)) {
    return Finish(
        Ended(Ending::kExited,
              Fail("cand.exit", fmt::format("the candidate ended the process with status {}",
                                            WEXITSTATUS(*wait_status)))
                  .error()));
  }
  const int signal = WTERMSIG(*wait_status);
  if (signal == SIGSYS) {
    return Finish(Ended(
        Ending::kKilled,
        Fail("iso.seccomp", "the candidate made a system call that only an attack needs").error()));
  }
  if (signal == SIGKILL) {
    return Finish(Ended(Ending::kKilled,
                        InfrastructureError("worker.killed", "something else killed the worker")));
  }
  return Finish(
      Ended(Ending::kKilled,
            Fail("cand.killed", fmt::format("the candidate died of signal {}", strsignal(signal)))
                .error()));
}

Outcome ProcessWorker::Finish(Outcome outcome) {
  supervisor_->Kill();
  if (!AwaitExit(kReapLimit)) {
    outcome = Ended(Ending::kInfrastructure,
                    InfrastructureError("worker.survivor", "a killed worker did not end"));
  }
  output_.Drain();
  errors_.Drain();
  final_ = outcome;
  return outcome;
}

bool ProcessWorker::AwaitExit(std::chrono::nanoseconds limit) {
  pollfd event{.fd = supervisor_->exit_event(), .events = POLLIN, .revents = 0};
  const Deadline deadline = Deadline::After(limit);
  while (poll(&event, 1, deadline.PollTimeout()) <= 0) {
    if (deadline.passed()) return false;
  }
  return true;
}

// From outside, so that the worker has no say; 0 when it cannot be read.
int ProcessWorker::CountThreads() const {
  std::ifstream status(fmt::format("/proc/{}/status", supervisor_->pid()));
  for (std::string word; status >> word;) {
    int count = 0;
    if (word == "Threads:" && status >> count) return count;
  }
  return 0;
}

}  // namespace cacheon::worker
