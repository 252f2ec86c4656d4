// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it drives another process by ptrace.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "src/worker/tracer.h"

namespace cacheon::worker {
namespace {

constexpr unsigned kEventShift = 16;

void Continue(pid_t thread, int signal) {
  ptrace(PTRACE_CONT, thread, nullptr, static_cast<std::uintptr_t>(signal));
}

// The whole list from the start; the kernel renders it anew for each reading.
std::string ReadMaps(int maps) {
  constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
  std::string text;
  off_t offset = 0;
  while (text.size() < kMaxBytes) {
    char buffer[16384];
    const ssize_t count = pread(maps, buffer, sizeof buffer, offset);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
    offset += count;
  }
  return text;
}

// True when the process has a handler for the signal.
bool IsCaught(pid_t process, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kCaught = "SigCgt:";
    if (!line.starts_with(kCaught)) continue;
    const std::uint64_t mask = std::strtoull(line.c_str() + kCaught.size(), nullptr, 16);
    return (mask >> static_cast<unsigned>(signal - 1) & 1U) != 0;
  }
  return false;
}

// Whether the access that raised this signal read or wrote. The processor's error code is shown
// only to a handler, so the thread is stepped onto the first instruction of its handler, which is
// not executed, and the code is read from the frame that the kernel has just built for it.
Access FindAccess(pid_t process, pid_t thread, int signal) {
#if defined(__x86_64__)
  if (!IsCaught(process, signal)) return Access::kUnknown;
  if (ptrace(PTRACE_SINGLESTEP, thread, nullptr, static_cast<std::uintptr_t>(signal)) != 0) {
    return Access::kUnknown;
  }
  // Looks first and takes only a stop: an exit is for the loop that waits for all threads.
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(thread), &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) != 0 ||
      info.si_code != CLD_TRAPPED) {
    return Access::kUnknown;
  }
  waitpid(thread, nullptr, __WALL);
  user_regs_struct registers{};
  if (info.si_status != SIGTRAP || ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) {
    return Access::kUnknown;
  }
  constexpr std::size_t kErrorOffset =
      offsetof(ucontext_t, uc_mcontext.gregs) + REG_ERR * sizeof(greg_t);
  constexpr long kWriteBit = 2;
  errno = 0;
  const long code = ptrace(PTRACE_PEEKDATA, thread, registers.rdx + kErrorOffset, nullptr);
  if (errno != 0) return Access::kUnknown;
  return (code & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

bool IsFault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
}

}  // namespace

int Tracer::Seize(pid_t process) {
  constexpr std::uintptr_t kOptions = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                                      PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  if (ptrace(PTRACE_SEIZE, process, nullptr, kOptions) != 0) return errno;
  process_ = process;
  OpenMaps();
  return 0;
}

void Tracer::OpenMaps() {
  maps_.reset(open(fmt::format("/proc/{}/maps", process_).c_str(), O_RDONLY | O_CLOEXEC));
}

std::optional<FaultRecord> Tracer::HandleStop(pid_t thread, int wait_status) {
  const int event = wait_status >> kEventShift;
  if (event == 0) return HandleSignal(thread, WSTOPSIG(wait_status));
  if (event == PTRACE_EVENT_EXEC) OpenMaps();
  Continue(thread, 0);
  return std::nullopt;
}

std::optional<FaultRecord> Tracer::HandleSignal(pid_t thread, int signal) {
  siginfo_t info{};
  // Positive codes are the kernel's; a process can send itself signals with others only.
  if (!IsFault(signal) || ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) != 0 ||
      info.si_code <= 0) {
    Continue(thread, signal);
    return std::nullopt;
  }
  FaultRecord fault{.signal = signal, .address = reinterpret_cast<std::uintptr_t>(info.si_addr)};
  if (maps_) fault.mapping = FindMapping(ReadMaps(maps_.get()), fault.address);
  if (signal == SIGSEGV) fault.access = FindAccess(process_, thread, signal);
  return fault;
}

}  // namespace cacheon::worker
