// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that a child needs to know to lock itself in, worked out before it is forked: between
// fork and exec the child may neither allocate nor look anything up.

#include <linux/filter.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/worker/worker.h"
#include "src/worker/file_tree.h"

namespace cacheon::worker {

// The ids that a worker has inside its namespaces, and also outside when the controller is root.
inline constexpr std::uint32_t kNobody = 65534;

// Names below the root that the worker sees.
inline constexpr const char* kBundleFolder = "bundle";
inline constexpr const char* kScratchFolder = "scratch";

// A file or folder of the host that appears, read-only, at the same path of the private root.
struct BindMount {
  enum class Kind : std::uint8_t { kFolder, kFile, kDevice };
  std::string source;  // absolute
  Kind kind = Kind::kFolder;

  const char* target() const { return source.c_str() + 1; }  // relative to the root
};
inline constexpr std::size_t kMaxBinds = 32;

struct Link {
  std::string path;  // relative to the root
  std::string target;
};

struct LandlockRule {
  enum class Access : std::uint8_t { kReadExecute, kReadWriteDevice, kScratch };
  std::string path;
  Access access = Access::kReadExecute;
};

struct ResourceLimit {
  int resource;
  rlimit limit;
};

// Which namespaces a start asks for.
enum class NamespaceSet : std::uint8_t {
  kAll,          // with a user namespace: works for everybody where it is allowed
  kWithoutUser,  // root on a machine that forbids user namespaces
  kNone,         // the process-only layers
};

// What a child does that serves the protocol on this socket without another program; the process
// ends when it returns.
using NativeMain = std::function<void(int socket)>;

struct SandboxPlan {
  NamespaceSet namespaces = NamespaceSet::kAll;

  // The private root. Unused without a mount namespace.
  std::vector<BindMount> binds;  // at most kMaxBinds
  std::vector<Link> links;
  FileTree tree;                // includes the bundle and the targets of the binds
  std::string root_options;     // of the tmpfs that is the root
  std::string scratch_options;  // of the tmpfs at /scratch

  std::vector<LandlockRule> landlock_rules;
  std::vector<ResourceLimit> limits;
  std::vector<sock_filter> filter;
  bool become_nobody = false;  // the controller is root

  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  NativeMain native_main;  // instead of `program`, if not empty
};

// What differs between the starts of one worker.
struct PlanInput {
  const WorkerOptions& options;
  NamespaceSet namespaces;
  std::string shim;                    // for python -c
  NativeMain native_main = {};         // instead of an interpreter
  std::string process_only_root = {};  // without a private root: the folder that holds the bundle
};

// Codes: worker.bundle, worker.start.
Result<SandboxPlan> PlanSandbox(const PlanInput& input);

}  // namespace cacheon::worker
