// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it runs between fork and exec, where only system calls are allowed. The order is
// the point: what needs privileges comes before they are dropped, the filter comes last.

#include "src/worker/sandbox_child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

namespace cacheon::worker {
namespace {

constexpr int kSetupFailed = 126;
constexpr std::size_t kMaxArguments = 16;

// The child's state on its way in.
struct Setup {
  const SandboxPlan& plan;
  ChildChannels channels;
  SetupReport report;

  void Send() const {
    // Below PIPE_BUF, so it is written whole. A controller that is gone needs no report.
    [[maybe_unused]] const ssize_t written = write(channels.report, &report, sizeof report);
  }

  [[noreturn]] void Fail(int error, const char* step) {
    report.failed_errno = error;
    std::strncpy(report.failed_step.data(), step, report.failed_step.size() - 1);
    Send();
    _exit(kSetupFailed);
  }

  void Mark(LayerKind kind, bool worked) { StateOf(report.layers, kind) = worked ? 0 : errno; }
};
static_assert(sizeof(SetupReport) <= PIPE_BUF);

// Returns when the controller has written the id maps.
void AwaitGo(Setup& setup) {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = read(setup.channels.go, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1) _exit(kSetupFailed);
}

// Moves the channels to 0..3 and the report to 4, and closes everything else.
void ArrangeDescriptors(Setup& setup) {
  constexpr int kReport = 4;
  constexpr int kAbove = 64;  // clear of the numbers that are about to be replaced
  ChildChannels& channels = setup.channels;
  for (int* channel : {&channels.null_input, &channels.output, &channels.errors, &channels.socket,
                       &channels.report}) {
    *channel = fcntl(*channel, F_DUPFD_CLOEXEC, kAbove);
    if (*channel < 0) setup.Fail(errno, "arranging descriptors");
  }
  dup2(channels.null_input, STDIN_FILENO);
  dup2(channels.output, STDOUT_FILENO);
  dup2(channels.errors, STDERR_FILENO);
  dup2(channels.socket, kWorkerSocket);
  dup3(channels.report, kReport, O_CLOEXEC);
  channels.report = kReport;
  channels.socket = kWorkerSocket;
  if (syscall(SYS_close_range, kReport + 1, ~0U, 0) != 0) {
    setup.Fail(errno, "closing descriptors");
  }
}

// The controller may have handlers and a mask; the interpreter starts with defaults.
void ResetSignals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void LimitResources(Setup& setup) {
  setup.Mark(LayerKind::kResourceLimits, true);
  for (const ResourceLimit& limit : setup.plan.limits) {
    if (setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &limit.limit) != 0) {
      setup.Mark(LayerKind::kResourceLimits, false);
    }
  }
}

// The wrappers of libc would signal threads that exist only in the controller.
bool BecomeNobody() {
  return syscall(SYS_setgroups, 0, nullptr) == 0 &&
         syscall(SYS_setresgid, kNobody, kNobody, kNobody) == 0 &&
         syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0;
}

void DropPrivileges(Setup& setup) {
  setup.Mark(LayerKind::kNoNewPrivileges, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  for (unsigned long capability = 0; capability <= CAP_LAST_CAP; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // fails without privilege, which is as good
  }
  if (setup.plan.become_nobody && !BecomeNobody()) {
    setup.Fail(errno, "becoming an unprivileged user");
  }
  setup.Mark(LayerKind::kUnprivilegedUser, true);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  setup.Mark(LayerKind::kNoCapabilities, syscall(SYS_capset, &header, data) == 0);
}

// A change of user clears the parent-death signal, so it is set after that; a controller that died
// before is noticed by its closed end of the socket.
void TieToController(Setup& setup) {
  setup.Mark(LayerKind::kParentDeathKill, prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
  pollfd socket{.fd = setup.channels.socket, .events = 0, .revents = 0};
  if (poll(&socket, 1, 0) != 0) _exit(kSetupFailed);
}

void FilterCalls(Setup& setup) {
  const sock_fprog program{.len = static_cast<unsigned short>(setup.plan.filter.size()),
                           .filter = const_cast<sock_filter*>(setup.plan.filter.data())};
  setup.Mark(LayerKind::kSeccomp, syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
}

[[noreturn]] void BecomeInterpreter(Setup& setup) {
  const SandboxPlan& plan = setup.plan;
  char* arguments[kMaxArguments] = {};
  char* environment[kMaxArguments] = {};
  for (std::size_t i = 0; i < plan.arguments.size() && i + 1 < kMaxArguments; ++i) {
    arguments[i] = const_cast<char*>(plan.arguments[i].c_str());
  }
  for (std::size_t i = 0; i < plan.environment.size() && i + 1 < kMaxArguments; ++i) {
    environment[i] = const_cast<char*>(plan.environment[i].c_str());
  }
  execve(plan.program.c_str(), arguments, environment);
  setup.Fail(errno, "starting the interpreter");
}

}  // namespace

void RunChild(const SandboxPlan& plan, const ChildChannels& channels, LayerStates namespaces) {
  Setup setup{.plan = plan, .channels = channels, .report = {.layers = namespaces}};
  AwaitGo(setup);
  ArrangeDescriptors(setup);
  ResetSignals();
  umask(S_IWGRP | S_IWOTH);
  if (plan.namespaces != NamespaceSet::kNone) {
    const StepResult root = EnterPrivateRoot(plan);
    if (root.error != 0) setup.Fail(root.error, root.step);
    setup.Mark(LayerKind::kPrivateRoot, true);
  }
  setup.Mark(LayerKind::kOwnSession, setsid() >= 0);
  LimitResources(setup);
  DropPrivileges(setup);
  StateOf(setup.report.layers, LayerKind::kLandlock) =
      RestrictFiles(plan, setup.report.landlock_abi);
  TieToController(setup);
  FilterCalls(setup);
  setup.Send();
  if (!plan.native_main) BecomeInterpreter(setup);
  close(setup.channels.report);
  plan.native_main(kWorkerSocket);
  _exit(0);
}

}  // namespace cacheon::worker
