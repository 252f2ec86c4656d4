// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_child_unsafe.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <utility>

#include "src/policy/python_child_filter.h"
#include "src/policy/python_facts.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

constexpr rlim_t kAddressSpaceBytes = 512U << 20U;
constexpr rlim_t kStackBytes = 256U << 20U;
constexpr rlim_t kLifetimeCpuSeconds = 600;  // an orphan's end; one file's limit is the parent's
constexpr rlim_t kDescriptors = 8;
constexpr std::chrono::seconds kFileCpu{5};
constexpr std::chrono::seconds kFileWall{30};
constexpr int kPollMilliseconds = 50;
constexpr int kCannotRun = 127;
constexpr std::size_t kFrameHeadBytes = 4;

// Everything below, up to execve, runs between fork and exec: system calls only.

bool Limit(__rlimit_resource what, rlim_t value) {
  const rlimit limit{value, value};
  return setrlimit(what, &limit) == 0;
}

bool DropCapabilities() {
  // Without these bits user 0 gets its capabilities back at exec. Others need no such call.
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0);
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &head, none) == 0;
}

bool LowerPrivileges(pid_t parent, const sock_fprog& filter) {
  sigset_t no_signals;
  sigemptyset(&no_signals);
  sigprocmask(SIG_SETMASK, &no_signals, nullptr);
  if (setsid() < 0 || chdir("/") != 0) return false;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent) return false;
  if (!Limit(RLIMIT_STACK, kStackBytes) || !Limit(RLIMIT_AS, kAddressSpaceBytes) ||
      !Limit(RLIMIT_CPU, kLifetimeCpuSeconds) || !Limit(RLIMIT_NOFILE, kDescriptors) ||
      !Limit(RLIMIT_FSIZE, 0) || !Limit(RLIMIT_NPROC, 0) || !Limit(RLIMIT_CORE, 0)) {
    return false;
  }
  if (!DropCapabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 0, &filter) == 0;
}

[[noreturn]] void RunInterpreter(const char* const* arguments, int socket, int null, pid_t parent,
                                 const sock_fprog& filter) {
  const bool ready = dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0 &&
                     dup2(null, STDERR_FILENO) >= 0 && syscall(SYS_close_range, 3U, ~0U, 0U) == 0 &&
                     LowerPrivileges(parent, filter);
  if (ready) {
    const char* const no_environment[] = {nullptr};
    syscall(SYS_execve, arguments[0], arguments, no_environment);
  }
  _exit(kCannotRun);
}

std::chrono::nanoseconds ChildCpuTime(pid_t pid) {
  clockid_t clock = 0;
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// The time that one exchange may take.
class Deadline {
 public:
  explicit Deadline(pid_t pid)
      : pid_(pid), cpu_start_(ChildCpuTime(pid)), start_(std::chrono::steady_clock::now()) {}
  bool Passed() const {
    return ChildCpuTime(pid_) - cpu_start_ > kFileCpu ||
           std::chrono::steady_clock::now() - start_ > kFileWall;
  }

 private:
  pid_t pid_;
  std::chrono::nanoseconds cpu_start_;
  std::chrono::steady_clock::time_point start_;
};

// Waits until `events` can happen on the socket.
ChildOutcome Await(int socket, short events, const Deadline& deadline) {
  for (;;) {
    pollfd wait{socket, events, 0};
    const int ready = poll(&wait, 1, kPollMilliseconds);
    if (ready > 0) return ChildOutcome::kAnswered;
    if (ready < 0 && errno != EINTR) return ChildOutcome::kDied;
    if (deadline.Passed()) return ChildOutcome::kOverTime;
  }
}

ChildOutcome Send(int socket, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ChildOutcome outcome = Await(socket, POLLOUT, deadline);
    if (outcome != ChildOutcome::kAnswered) return outcome;
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return ChildOutcome::kDied;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return ChildOutcome::kAnswered;
}

ChildOutcome Receive(int socket, char* to, std::size_t count, const Deadline& deadline) {
  while (count > 0) {
    const ChildOutcome outcome = Await(socket, POLLIN, deadline);
    if (outcome != ChildOutcome::kAnswered) return outcome;
    const ssize_t got = recv(socket, to, count, MSG_DONTWAIT);
    if (got == 0) return ChildOutcome::kDied;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return ChildOutcome::kDied;
    if (got > 0) {
      to += got;
      count -= static_cast<std::size_t>(got);
    }
  }
  return ChildOutcome::kAnswered;
}

std::array<char, kFrameHeadBytes> FrameHead(std::size_t size) {
  std::array<char, kFrameHeadBytes> head{};
  for (std::size_t i = 0; i < head.size(); ++i) head[i] = static_cast<char>(size >> (8U * i));
  return head;
}

std::size_t FrameSize(const std::array<char, kFrameHeadBytes>& head) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < head.size(); ++i)
    size |= static_cast<std::size_t>(static_cast<unsigned char>(head[i])) << (8U * i);
  return size;
}

}  // namespace

Result<PythonChild> PythonChild::Start(const std::string& interpreter) {
  if (access(interpreter.c_str(), X_OK) != 0)
    return FailErrno("scan.parser_unavailable", "cannot run " + interpreter, errno);
  ASSIGN_OR_RETURN(const ChildFilter* filter, ParserChildFilter());
  static const std::string kProgram(ParseFactsProgram());
  const char* const arguments[] = {interpreter.c_str(), "-I",   "-S", "-B", "-X", "utf8", "-c",
                                   kProgram.c_str(),    nullptr};
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return FailErrno("scan.parser_unavailable", "cannot make a socket pair", errno);
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) RunInterpreter(arguments, theirs.get(), null.get(), parent, filter->program());
  if (pid < 0) return FailErrno("scan.parser_unavailable", "cannot start a process", errno);
  return PythonChild(pid, std::move(ours));
}

PythonChild::PythonChild(PythonChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}

PythonChild& PythonChild::operator=(PythonChild&& other) noexcept {
  if (this != &other) {
    End();
    pid_ = std::exchange(other.pid_, -1);
    socket_ = std::move(other.socket_);
  }
  return *this;
}

PythonChild::~PythonChild() { End(); }

void PythonChild::End() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

ChildReply PythonChild::Ask(std::string_view source) {
  const Deadline deadline(pid_);
  const auto head = FrameHead(source.size());
  ChildReply reply;
  reply.outcome = Send(socket_.get(), {head.data(), head.size()}, deadline);
  if (reply.outcome == ChildOutcome::kAnswered)
    reply.outcome = Send(socket_.get(), source, deadline);
  if (reply.outcome != ChildOutcome::kAnswered) return reply;
  return Read();
}

ChildReply PythonChild::Read() {
  const Deadline deadline(pid_);
  std::array<char, kFrameHeadBytes> head{};
  ChildReply reply;
  reply.outcome = Receive(socket_.get(), head.data(), head.size(), deadline);
  if (reply.outcome != ChildOutcome::kAnswered) return reply;
  const std::size_t size = FrameSize(head);
  if (size > kMaxFactsBytes) return {.outcome = ChildOutcome::kDied};
  reply.text.resize(size);
  reply.outcome = Receive(socket_.get(), reply.text.data(), size, deadline);
  return reply;
}

}  // namespace cacheon::policy
