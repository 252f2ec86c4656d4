// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/seccomp_policy.h"

#include <asm/ioctls.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "cacheon/core/unique_fd.h"

namespace cacheon::worker {
namespace {

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, FilterDeleter>;

// Memory, threads and time.
constexpr auto kCompute = std::to_array<const char*>({"arch_prctl",
                                                      "brk",
                                                      "clock_getres",
                                                      "clock_gettime",
                                                      "clock_nanosleep",
                                                      "exit",
                                                      "exit_group",
                                                      "futex",
                                                      "futex_waitv",
                                                      "get_mempolicy",
                                                      "get_robust_list",
                                                      "getcpu",
                                                      "getitimer",
                                                      "getpriority",
                                                      "getrandom",
                                                      "getrusage",
                                                      "gettimeofday",
                                                      "madvise",
                                                      "membarrier",
                                                      "mincore",
                                                      "mlock",
                                                      "mmap",
                                                      "mprotect",
                                                      "mremap",
                                                      "msync",
                                                      "munlock",
                                                      "munmap",
                                                      "nanosleep",
                                                      "restart_syscall",
                                                      "rseq",
                                                      "sched_getaffinity",
                                                      "sched_getparam",
                                                      "sched_getscheduler",
                                                      "sched_yield",
                                                      "set_mempolicy",
                                                      "set_robust_list",
                                                      "set_tid_address",
                                                      "sysinfo",
                                                      "time",
                                                      "times"});

// Files below the roots that Landlock and the mounts leave; writing is theirs to refuse.
constexpr auto kFiles = std::to_array<const char*>(
    {"access",     "chdir",      "close",      "close_range", "dup",       "dup2",      "dup3",
     "faccessat",  "faccessat2", "fadvise64",  "fallocate",   "fchdir",    "fcntl",     "fdatasync",
     "flock",      "fstat",      "fstatfs",    "fsync",       "ftruncate", "getcwd",    "getdents",
     "getdents64", "link",       "linkat",     "lseek",       "lstat",     "mkdir",     "mkdirat",
     "newfstatat", "open",       "openat",     "pread64",     "preadv",    "pwrite64",  "pwritev",
     "read",       "readlink",   "readlinkat", "readv",       "rename",    "renameat",  "renameat2",
     "rmdir",      "stat",       "statfs",     "statx",       "symlink",   "symlinkat", "umask",
     "unlink",     "unlinkat",   "write",      "writev"});

// Channels that are open already, and polling them. No socket can be created.
constexpr auto kChannels = std::to_array<const char*>(
    {"epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2",
     "getsockname", "getsockopt", "pipe", "pipe2", "poll", "ppoll", "pselect6", "recvmsg", "select",
     "sendmsg"});

// Who and where one is, and signal handling within the process.
constexpr auto kIdentity = std::to_array<const char*>(
    {"getegid",        "geteuid",      "getgid",        "getgroups",       "getpgid",
     "getpgrp",        "getpid",       "getppid",       "getresgid",       "getresuid",
     "getsid",         "gettid",       "getuid",        "rt_sigaction",    "rt_sigpending",
     "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack",
     "uname",          "wait4",        "waitid"});

// Nothing but an attack calls these.
constexpr auto kDeadly =
    std::to_array<const char*>({"bpf", "io_uring_enter", "io_uring_register", "io_uring_setup",
                                "process_vm_readv", "process_vm_writev", "ptrace", "userfaultfd"});

constexpr std::array<std::uint64_t, 6> kIoctls = {TCGETS,  FIOCLEX,  FIONCLEX,
                                                  FIONBIO, FIONREAD, TIOCGWINSZ};

std::unexpected<Error> CannotBuild(std::string_view what, int result) {
  return FailErrno("worker.start", fmt::format("cannot build the system call filter: {}", what),
                   -result);
}

// Adds rules and keeps the first failure.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  template <typename... Conditions>
  void Add(std::uint32_t action, const char* name, Conditions... conditions) {
    const int number = seccomp_syscall_resolve_name(name);
    // A name that this libseccomp does not know stays under the default action.
    if (number == __NR_SCMP_ERROR) return;
    Keep(seccomp_rule_add(filter_, action, number, sizeof...(conditions), conditions...));
  }

  template <std::size_t N>
  void AddAll(std::uint32_t action, const std::array<const char*, N>& names) {
    for (const char* name : names) Add(action, name);
  }

  int result() const { return result_; }

 private:
  void Keep(int result) {
    if (result_ == 0) result_ = result;
  }

  scmp_filter_ctx filter_;
  int result_ = 0;
};

scmp_arg_cmp Equals(unsigned argument, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value, .datum_b = 0};
}

scmp_arg_cmp MaskedEquals(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

// Calls that are allowed with some arguments only.
void AddConditional(Rules& rules) {
  constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                           CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                           CLONE_NEWNET;
  // Threads, but no processes.
  rules.Add(SCMP_ACT_ALLOW, "clone", MaskedEquals(0, CLONE_THREAD | kNewNamespaces, CLONE_THREAD));
  // The flags of clone3 lie in memory where a filter cannot see them; glibc falls back to clone.
  rules.Add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  for (const std::uint64_t request : kIoctls) {
    rules.Add(SCMP_ACT_ALLOW, "ioctl", MaskedEquals(1, 0xFFFFFFFF, request));
  }
  rules.Add(SCMP_ACT_ALLOW, "prctl", Equals(0, PR_SET_NAME));
  rules.Add(SCMP_ACT_ALLOW, "prctl", Equals(0, PR_GET_NAME));
  rules.Add(SCMP_ACT_ALLOW, "prctl", Equals(0, PR_SET_DUMPABLE), Equals(1, 0));
  // Limits may be read, not set.
  rules.Add(SCMP_ACT_ALLOW, "prlimit64", Equals(0, 0), Equals(2, 0));
  rules.Add(SCMP_ACT_ALLOW, "getrlimit");
}

Result<std::vector<sock_filter>> Export(const Filter& filter) {
  const UniqueFd file(memfd_create("filter", MFD_CLOEXEC));
  if (!file) return CannotBuild("no memory file", -errno);
  if (const int result = seccomp_export_bpf(filter.get(), file.get()); result != 0) {
    return CannotBuild("export", result);
  }
  struct stat info;
  if (fstat(file.get(), &info) != 0) return CannotBuild("size", -errno);
  std::vector<sock_filter> program(static_cast<std::size_t>(info.st_size) / sizeof(sock_filter));
  const std::size_t size = program.size() * sizeof(sock_filter);
  if (pread(file.get(), program.data(), size, 0) != static_cast<ssize_t>(size)) {
    return CannotBuild("read", -EIO);
  }
  return program;
}

Result<std::vector<sock_filter>> BuildStartFilter(bool own_pid_namespace) {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter) return CannotBuild("no filter", -ENOMEM);
  // A foreign architecture has its own call numbers: never let it in.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree
  Rules rules(filter.get());
  rules.AddAll(SCMP_ACT_ALLOW, kCompute);
  rules.AddAll(SCMP_ACT_ALLOW, kFiles);
  rules.AddAll(SCMP_ACT_ALLOW, kChannels);
  rules.AddAll(SCMP_ACT_ALLOW, kIdentity);
  rules.AddAll(SCMP_ACT_KILL_PROCESS, kDeadly);
  AddConditional(rules);
  if (own_pid_namespace) {
    rules.Add(SCMP_ACT_ALLOW, "tgkill");
    rules.Add(SCMP_ACT_ALLOW, "tkill");
    rules.Add(SCMP_ACT_ALLOW, "kill");
  }
  rules.Add(SCMP_ACT_ALLOW, "execve");
  rules.Add(SCMP_ACT_ALLOW, "seccomp");
  if (rules.result() != 0) return CannotBuild("a rule", rules.result());
  return Export(filter);
}

Result<std::vector<sock_filter>> BuildRunFilter() {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return CannotBuild("no filter", -ENOMEM);
  Rules rules(filter.get());
  rules.AddAll(SCMP_ACT_ERRNO(EPERM),
               std::to_array<const char*>({"execve", "execveat", "seccomp"}));
  if (rules.result() != 0) return CannotBuild("a rule", rules.result());
  return Export(filter);
}

}  // namespace

Result<std::vector<sock_filter>> StartFilter(bool own_pid_namespace) {
  static const Result<std::vector<sock_filter>> kOwn = BuildStartFilter(true);
  static const Result<std::vector<sock_filter>> kShared = BuildStartFilter(false);
  return own_pid_namespace ? kOwn : kShared;
}

Result<std::vector<sock_filter>> RunFilter() {
  static const Result<std::vector<sock_filter>> kRun = BuildRunFilter();
  return kRun;
}

}  // namespace cacheon::worker
