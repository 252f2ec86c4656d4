// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Landlock: files, TCP ports, abstract sockets and signals, as far as the kernel knows them. Unsafe
// because it runs between fork and exec and calls the kernel directly; the structures are declared
// here since the system's header is older than some kernels.

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "src/worker/sandbox_child.h"

namespace cacheon::worker {
namespace {

// struct landlock_ruleset_attr of ABI 6.
struct RulesetAttributes {
  std::uint64_t handled_files;
  std::uint64_t handled_network;  // from ABI 4
  std::uint64_t scoped;           // from ABI 6
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14U;     // from ABI 3
constexpr std::uint64_t kDeviceIoctl = std::uint64_t{1} << 15U;  // from ABI 5
constexpr std::uint64_t kFilesOfAbi1 = (std::uint64_t{1} << 13U) - 1;
constexpr std::uint64_t kRefer = LANDLOCK_ACCESS_FS_REFER;  // from ABI 2
constexpr std::uint64_t kTcpBindAndConnect = 3;
constexpr std::uint64_t kAbstractSocketsAndSignals = 3;

RulesetAttributes AttributesOf(int abi) {
  RulesetAttributes attributes{.handled_files = kFilesOfAbi1, .handled_network = 0, .scoped = 0};
  if (abi >= 2) attributes.handled_files |= kRefer;
  if (abi >= 3) attributes.handled_files |= kTruncate;
  if (abi >= 4) attributes.handled_network = kTcpBindAndConnect;
  if (abi >= 5) attributes.handled_files |= kDeviceIoctl;
  if (abi >= 6) attributes.scoped = kAbstractSocketsAndSignals;
  return attributes;
}

std::size_t AttributeBytes(int abi) {
  if (abi >= 6) return sizeof(RulesetAttributes);
  return abi >= 4 ? offsetof(RulesetAttributes, scoped)
                  : offsetof(RulesetAttributes, handled_network);
}

std::uint64_t AllowedAccess(LandlockRule::Access access) {
  constexpr std::uint64_t kScratch =
      kRead | kWriteFile | kTruncate | LANDLOCK_ACCESS_FS_REMOVE_DIR |
      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
      LANDLOCK_ACCESS_FS_MAKE_SYM | kRefer;
  switch (access) {
    case LandlockRule::Access::kReadExecute:
      return kRead | LANDLOCK_ACCESS_FS_EXECUTE;
    case LandlockRule::Access::kReadWriteDevice:
      return LANDLOCK_ACCESS_FS_READ_FILE | kWriteFile | kTruncate;
    case LandlockRule::Access::kScratch:
      return kScratch;
  }
  return 0;
}

// Rights that only folders have; a rule for a file must not name them.
constexpr std::uint64_t kFileRights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                      kWriteFile | kTruncate | kDeviceIoctl;

// Paths that do not exist here allow nothing.
int AddRule(int ruleset, const LandlockRule& rule, std::uint64_t handled) {
  landlock_path_beneath_attr beneath{};
  beneath.parent_fd = open(rule.path.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY);
  const bool folder = beneath.parent_fd >= 0;
  if (!folder) beneath.parent_fd = open(rule.path.c_str(), O_PATH | O_CLOEXEC);
  if (beneath.parent_fd < 0) return errno == ENOENT ? 0 : errno;
  beneath.allowed_access = AllowedAccess(rule.access) & handled;
  if (!folder) beneath.allowed_access &= kFileRights;
  const long result =
      syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  const int error = result == 0 ? 0 : errno;
  close(beneath.parent_fd);
  return error;
}

}  // namespace

int RestrictFiles(const SandboxPlan& plan, std::int32_t& abi) {
  abi = static_cast<std::int32_t>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  if (abi < 0) return errno;
  const RulesetAttributes attributes = AttributesOf(abi);
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, AttributeBytes(abi), 0));
  if (ruleset < 0) return errno;
  for (const LandlockRule& rule : plan.landlock_rules) {
    if (const int error = AddRule(ruleset, rule, attributes.handled_files); error != 0) {
      return error;
    }
  }
  if (syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) return errno;
  close(ruleset);
  return 0;
}

}  // namespace cacheon::worker
