// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it drives another process by ptrace.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

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
  return fault;
}

}  // namespace cacheon::worker
