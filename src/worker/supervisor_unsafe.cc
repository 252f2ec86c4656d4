// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it forks by clone3 and waits for traced threads.

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "cacheon/core/process.h"
#include "src/worker/supervisor.h"
#include "src/worker/tracer.h"

namespace cacheon::worker {
namespace {

constexpr std::chrono::seconds kSetupLimit{30};

constexpr std::uint64_t kInnerNamespaces =
    CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

std::uint64_t CloneFlags(NamespaceSet namespaces) {
  switch (namespaces) {
    case NamespaceSet::kAll:
      return CLONE_NEWUSER | kInnerNamespaces;
    case NamespaceSet::kWithoutUser:
      return kInnerNamespaces;
    case NamespaceSet::kNone:
      return 0;
  }
  return 0;
}

// What is known before the child runs: its namespaces.
LayerStates InitialStates(NamespaceSet namespaces) {
  LayerStates states;
  states.fill(kNotTried);
  if (namespaces == NamespaceSet::kNone) return states;
  for (std::size_t i = 0; i < kNamespaceLayerCount; ++i) states[i] = 0;
  if (namespaces == NamespaceSet::kWithoutUser) {
    StateOf(states, LayerKind::kUserNamespace) = kNotTried;
  }
  return states;
}

Status WriteProcFile(pid_t process, const char* name, const std::string& text) {
  const std::string path = fmt::format("/proc/{}/{}", process, name);
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return FailErrno("worker.start", fmt::format("cannot write {}", path), errno);
  }
  return {};
}

// Root keeps 0 for the setup and takes kNobody, inside and outside. A user is kNobody inside.
Status WriteIdMaps(pid_t process, bool root) {
  const auto map = [&](unsigned id) {
    return root ? fmt::format("0 0 1\n{0} {0} 1\n", kNobody)
                : fmt::format("{} {} 1\n", kNobody, id);
  };
  if (!root) RETURN_IF_ERROR(WriteProcFile(process, "setgroups", "deny"));
  RETURN_IF_ERROR(WriteProcFile(process, "uid_map", map(geteuid())));
  return WriteProcFile(process, "gid_map", map(getegid()));
}

// Both ends of everything that connects the two processes.
struct Channels {
  std::pair<UniqueFd, UniqueFd> socket;
  Pipe output;
  Pipe errors;
  Pipe go;
  Pipe report;
  UniqueFd null_input;

  static Result<Channels> Open();
  ChildChannels child_ends() const {
    return {.null_input = null_input.get(),
            .output = output.write_end.get(),
            .errors = errors.write_end.get(),
            .socket = socket.second.get(),
            .go = go.read_end.get(),
            .report = report.write_end.get()};
  }
  void CloseChildEnds() {
    output.write_end.reset();
    errors.write_end.reset();
    socket.second.reset();
    go.read_end.reset();
    report.write_end.reset();
    null_input.reset();
  }
};

Result<Channels> Channels::Open() {
  Channels channels;
  ASSIGN_OR_RETURN(channels.socket, OpenMessageSockets());
  ASSIGN_OR_RETURN(channels.output, OpenPipe());
  ASSIGN_OR_RETURN(channels.errors, OpenPipe());
  ASSIGN_OR_RETURN(channels.go, OpenPipe());
  ASSIGN_OR_RETURN(channels.report, OpenPipe());
  channels.null_input.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!channels.null_input) return FailErrno("process.channel", "cannot open /dev/null", errno);
  for (const Pipe* pipe : {&channels.output, &channels.errors}) {
    fcntl(pipe->read_end.get(), F_SETFL, O_NONBLOCK);
  }
  return channels;
}

// Reads reports until the child has become the interpreter, which closes the pipe. True when the
// last report says that all is well.
bool ReadReports(int pipe, SetupReport& report) {
  const Deadline deadline = Deadline::After(kSetupLimit);
  bool any = false;
  for (;;) {
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, deadline.PollTimeout());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t size = read(pipe, &report, sizeof report);
    if (size == 0) return any && report.failed_errno == 0;
    if (size != static_cast<ssize_t>(sizeof report)) return false;
    any = true;
  }
}

}  // namespace

struct Supervisor::State {
  // Set by the thread before `started` is ready, constant afterwards.
  SetupReport report;
  WorkerChannels channels;
  pid_t pid = -1;
  UniqueFd pidfd;
  UniqueFd exit_event;

  mutable std::mutex mutex;
  std::optional<int> exit_status;    // guarded by mutex
  std::optional<FaultRecord> fault;  // guarded by mutex
  std::thread watcher;

  std::optional<Failure> Launch(const SandboxPlan& plan, Tracer& tracer);
  void Fork(const SandboxPlan& plan, Channels& ends, int& error);
  void Watch(Tracer& tracer);
  void Handle(pid_t thread, int wait_status, Tracer& tracer);
};

// Sets `pid`, or `error` to the errno of the refusal.
void Supervisor::State::Fork(const SandboxPlan& plan, Channels& ends, int& error) {
  int process_fd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD | CloneFlags(plan.namespaces);
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&process_fd);
  arguments.exit_signal = SIGCHLD;
  const ChildChannels child_ends = ends.child_ends();
  const LayerStates states = InitialStates(plan.namespaces);
  // Taken along as if by fork: the child must not close the controller's end of its own pipe late,
  // or it would wait for itself.
  const int go_write = ends.go.write_end.get();
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    close(go_write);
    close(ends.socket.first.get());
    RunChild(plan, child_ends, states);
  }
  error = child < 0 ? errno : 0;
  pid = static_cast<pid_t>(child);
  pidfd.reset(process_fd);
  ends.CloseChildEnds();
}

std::optional<Supervisor::Failure> Supervisor::State::Launch(const SandboxPlan& plan,
                                                             Tracer& tracer) {
  auto ends = Channels::Open();
  if (!ends) return Failure{std::move(ends.error())};
  const bool has_namespaces = plan.namespaces != NamespaceSet::kNone;
  int error = 0;
  Fork(plan, *ends, error);
  if (error != 0) {
    return Failure{FailErrno("worker.start", "cannot fork a worker", error).error(),
                   has_namespaces};
  }
  if (plan.namespaces == NamespaceSet::kAll) {
    if (Status maps = WriteIdMaps(pid, plan.become_nobody); !maps) {
      return Failure{std::move(maps.error()), has_namespaces};
    }
  }
  const int seized = tracer.Seize(pid);
  if (Status go = WriteAll(ends->go.write_end.get(), std::string_view("g")); !go) {
    return Failure{std::move(go.error())};
  }
  if (!ReadReports(ends->report.read_end.get(), report)) {
    const std::string step(report.failed_step.data());
    const int reason = report.failed_errno == 0 ? ECHILD : report.failed_errno;
    const std::string what = step.empty() ? "the worker ended during its setup" : step;
    const bool required_by_namespaces = has_namespaces && !step.starts_with("starting");
    return Failure{FailErrno("worker.start", what, reason).error(), required_by_namespaces};
  }
  StateOf(report.layers, LayerKind::kFaultAttribution) = seized;
  channels = {.socket = std::move(ends->socket.first),
              .output = std::move(ends->output.read_end),
              .errors = std::move(ends->errors.read_end)};
  return std::nullopt;
}

// Until the process and every thread of it are gone.
void Supervisor::State::Watch(Tracer& tracer) {
  for (;;) {
    int wait_status = 0;
    const pid_t thread = waitpid(-1, &wait_status, __WALL | __WNOTHREAD);
    if (thread > 0) {
      Handle(thread, wait_status, tracer);
    } else if (errno != EINTR) {
      return;
    }
  }
}

void Supervisor::State::Handle(pid_t thread, int wait_status, Tracer& tracer) {
  if (WIFSTOPPED(wait_status)) {
    std::optional<FaultRecord> seen = tracer.HandleStop(thread, wait_status);
    if (!seen) return;
    {
      const std::scoped_lock lock(mutex);
      if (!fault) fault = std::move(seen);
    }
    SignalProcess(pidfd.get(), SIGKILL);
  } else if (thread == pid) {
    const std::scoped_lock lock(mutex);
    exit_status = wait_status;
  }
}

std::expected<std::unique_ptr<Supervisor>, Supervisor::Failure> Supervisor::Start(
    const SandboxPlan& plan) {
  auto state = std::make_unique<State>();
  auto event = OpenEvent();
  if (!event) return std::unexpected(Failure{std::move(event.error())});
  state->exit_event = std::move(*event);
  std::promise<std::optional<Failure>> started;
  std::future<std::optional<Failure>> result = started.get_future();
  // `plan` outlives the thread's use of it: it is not touched after the promise is kept.
  state->watcher =
      std::thread([state = state.get(), &plan, started = std::move(started)]() mutable {
        Tracer tracer;
        std::optional<Failure> failure = state->Launch(plan, tracer);
        if (failure && state->pid > 0) SignalProcess(state->pidfd.get(), SIGKILL);
        if (failure) state->Watch(tracer);
        const bool failed = failure.has_value();
        started.set_value(std::move(failure));
        if (failed) return;
        state->Watch(tracer);
        RaiseEvent(state->exit_event.get());
      });
  std::unique_ptr<Supervisor> supervisor(new Supervisor(std::move(state)));
  if (std::optional<Failure> failure = result.get()) return std::unexpected(std::move(*failure));
  return supervisor;
}

Supervisor::Supervisor(std::unique_ptr<State> state) : state_(std::move(state)) {}

Supervisor::~Supervisor() {
  Kill();
  state_->watcher.join();
}

const SetupReport& Supervisor::report() const { return state_->report; }
WorkerChannels& Supervisor::channels() { return state_->channels; }
pid_t Supervisor::pid() const { return state_->pid; }
int Supervisor::exit_event() const { return state_->exit_event.get(); }

void Supervisor::Kill() {
  if (state_->pidfd) SignalProcess(state_->pidfd.get(), SIGKILL);
}

std::optional<int> Supervisor::exit_status() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->exit_status;
}

std::optional<FaultRecord> Supervisor::fault() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->fault;
}

}  // namespace cacheon::worker
