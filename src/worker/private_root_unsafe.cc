// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The private root: a tmpfs that holds read-only mounts of the interpreter's folders, a copy of the
// bundle, copies of the few system files that torch reads, and a scratch folder. Unsafe because it
// runs between fork and exec.

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "src/worker/sandbox_child.h"

// <sys/mount.h> and <linux/mount.h> define the same names; the calls are few.
extern "C" int mount(const char* source, const char* target, const char* type, unsigned long flags,
                     const void* data);
extern "C" int umount2(const char* target, int flags);

namespace cacheon::worker {
namespace {

constexpr unsigned long kNoSuid = 2;
constexpr unsigned long kNoDevices = 4;
constexpr unsigned long kNoExec = 8;
constexpr unsigned long kRecursive = 16384;
constexpr unsigned long kPrivate = 1UL << 18U;
constexpr int kDetach = 2;
// Any folder that every system has; the host's own is out of sight after the pivot.
constexpr const char* kStagingFolder = "/tmp";

using Trees = std::array<int, kMaxBinds>;

bool MakeReadOnly(int folder, const char* path, unsigned flags, std::uint64_t attributes) {
  mount_attr attr{};
  attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | attributes;
  return syscall(SYS_mount_setattr, folder, path, flags, &attr, sizeof attr) == 0;
}

// Detached copies of all sources, taken before anything covers them.
StepResult CloneSources(const SandboxPlan& plan, Trees& trees) {
  for (std::size_t i = 0; i < plan.binds.size(); ++i) {
    const BindMount& bind = plan.binds[i];
    const bool folder = bind.kind == BindMount::Kind::kFolder;
    const unsigned recursive = folder ? AT_RECURSIVE : 0U;
    trees[i] = static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, bind.source.c_str(),
                                        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
    if (trees[i] < 0) return {errno, "cloning a system folder"};
    const std::uint64_t devices = bind.kind == BindMount::Kind::kDevice ? 0 : MOUNT_ATTR_NODEV;
    if (!MakeReadOnly(trees[i], "", AT_EMPTY_PATH | recursive, devices)) {
      return {errno, "making a system folder read-only"};
    }
  }
  return {};
}

StepResult FillRoot(const SandboxPlan& plan, const Trees& trees) {
  if (const int failed = WriteFileTree(AT_FDCWD, plan.tree); failed != 0) {
    return {failed, "filling the private root"};
  }
  for (const Link& link : plan.links) {
    if (symlink(link.target.c_str(), link.path.c_str()) != 0) {
      return {errno, "linking in the private root"};
    }
  }
  for (std::size_t i = 0; i < plan.binds.size(); ++i) {
    if (syscall(SYS_move_mount, trees[i], "", AT_FDCWD, plan.binds[i].target(),
                MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return {errno, "attaching a system folder"};
    }
    close(trees[i]);
  }
  if (mount("tmpfs", kScratchFolder, "tmpfs", kNoSuid | kNoDevices | kNoExec,
            plan.scratch_options.c_str()) != 0) {
    return {errno, "mounting the scratch folder"};
  }
  return {};
}

}  // namespace

StepResult EnterPrivateRoot(const SandboxPlan& plan) {
  if (mount(nullptr, "/", nullptr, kRecursive | kPrivate, nullptr) != 0) {
    return {errno, "making the mounts private"};
  }
  Trees trees{};
  if (const StepResult result = CloneSources(plan, trees); result.error != 0) return result;
  if (mount("tmpfs", kStagingFolder, "tmpfs", kNoSuid | kNoDevices, plan.root_options.c_str()) !=
          0 ||
      chdir(kStagingFolder) != 0) {
    return {errno, "mounting the private root"};
  }
  if (const StepResult result = FillRoot(plan, trees); result.error != 0) return result;
  // With both arguments the same, the old root ends on top of the new one and is then taken away.
  if (syscall(SYS_pivot_root, ".", ".") != 0) return {errno, "changing the root"};
  if (umount2(".", kDetach) != 0 || chdir("/") != 0) return {errno, "leaving the old root"};
  if (!MakeReadOnly(AT_FDCWD, "/", 0, MOUNT_ATTR_NODEV)) {
    return {errno, "making the private root read-only"};
  }
  return {};
}

}  // namespace cacheon::worker
