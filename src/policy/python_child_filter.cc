// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_child_filter.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <type_traits>
#include <utility>

#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {
namespace {

constexpr int kAlways[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(lseek),
    SCMP_SYS(mmap),
    SCMP_SYS(munmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(brk),
    SCMP_SYS(pread64),
    SCMP_SYS(getdents64),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(getcwd),
    SCMP_SYS(dup),
    SCMP_SYS(fcntl),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(futex),
    SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(execve),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, void (*)(scmp_filter_ctx)>;

std::unexpected<Error> Unavailable(int negative_errno) {
  return FailErrno("scan.parser_unavailable", "cannot build the parser's system-call filter",
                   -negative_errno);
}

Status AddRules(scmp_filter_ctx filter) {
  for (const int call : kAlways) {
    if (const int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); failed != 0)
      return Unavailable(failed);
  }
  constexpr int kAnyWrite = O_ACCMODE | O_CREAT | O_TRUNC;
  int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, kAnyWrite, O_RDONLY));
  // Reading limits is part of starting; setting them is not.
  if (failed == 0)
    failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
                              SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0));
  // Closing a script at exec is all of ioctl that an interpreter needs.
  for (const auto request : {FIOCLEX, FIONCLEX}) {
    if (failed == 0)
      failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                                SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(request)));
  }
  if (failed != 0) return Unavailable(failed);
  return {};
}

Result<ChildFilter> Build() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  if (filter == nullptr) return Unavailable(-ENOMEM);
  RETURN_IF_ERROR(AddRules(filter.get()));
  const UniqueFd file(memfd_create("filter", MFD_CLOEXEC));
  if (!file) return Unavailable(-errno);
  if (const int failed = seccomp_export_bpf(filter.get(), file.get()); failed != 0)
    return Unavailable(failed);
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return Unavailable(-errno);
  std::vector<sock_filter> code(static_cast<std::size_t>(info.st_size) / sizeof(sock_filter));
  const std::size_t bytes = code.size() * sizeof(sock_filter);
  if (pread(file.get(), code.data(), bytes, 0) != static_cast<ssize_t>(bytes))
    return Unavailable(-EIO);
  return ChildFilter(std::move(code));
}

}  // namespace

Result<const ChildFilter*> ParserChildFilter() {
  static const Result<ChildFilter> kFilter = Build();
  if (!kFilter) return Fail(kFilter.error());
  return &*kFilter;
}

}  // namespace cacheon::policy
