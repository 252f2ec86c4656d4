// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/sandbox_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/worker/seccomp_policy.h"

namespace cacheon::worker {
namespace {

namespace fs = std::filesystem;
using Access = LandlockRule::Access;

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr rlim_t kMaxOpenFiles = 64;
constexpr rlim_t kMaxStackBytes = 8 * kMiB;
constexpr rlim_t kMaxLockedBytes = kMiB / 16;
constexpr rlim_t kMaxCpuSeconds = 3600;
// What the interpreter, BLAS and the candidate may start beyond the threads that were asked for.
constexpr rlim_t kSpareThreads = 64;
// Room of the private root beside the bundle: page rounding of small files.
constexpr std::size_t kRootSpareBytes = 4 * kMiB;
constexpr std::size_t kPage = 4096;

// torch reads these to choose its kernels; without them it runs slower and with other last digits.
constexpr std::string_view kCpuFiles[] = {
    "/proc/cpuinfo", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/online", "/sys/devices/system/cpu/kernel_max"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/urandom"};

// Read once: the kernel renders /proc/cpuinfo anew, and slowly, each time.
const std::vector<TextFile>& CpuFiles() {
  static const std::vector<TextFile> kFiles = [] {
    std::vector<TextFile> files;
    for (const std::string_view path : kCpuFiles) {
      std::ifstream input{std::string(path)};
      if (!input) continue;
      files.push_back({.path = std::string(path.substr(1)),
                       .content = {std::istreambuf_iterator<char>(input), {}}});
    }
    return files;
  }();
  return kFiles;
}

// The folder that an interpreter outside /usr belongs to, and the one its virtual environment was
// made from: `PREFIX/bin/python3` and `home = BASE/bin` in PREFIX/pyvenv.cfg.
std::vector<std::string> InterpreterFolders(const std::string& program) {
  std::vector<std::string> folders;
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (!error) folders.push_back(real.parent_path().parent_path().string());
  const fs::path prefix = fs::path(program).parent_path().parent_path();
  std::ifstream config(prefix / "pyvenv.cfg");
  if (config) folders.push_back(prefix.string());
  std::erase_if(folders, [](const std::string& folder) {
    return folder.size() < 2 || folder == "/usr" || folder.starts_with("/usr/");
  });
  std::ranges::sort(folders);
  folders.erase(std::ranges::unique(folders).begin(), folders.end());
  return folders;
}

// Folders and files of the host that an interpreter needs; links at the root are made again.
void AddSystemPaths(const std::string& program, SandboxPlan& plan) {
  std::error_code error;
  const auto add = [&](const std::string& path, BindMount::Kind kind) {
    if (fs::exists(path, error)) plan.binds.push_back({.source = path, .kind = kind});
  };
  add("/usr", BindMount::Kind::kFolder);
  for (const char* name : {"bin", "lib", "lib32", "lib64", "libx32", "sbin"}) {
    const std::string path = fmt::format("/{}", name);
    if (fs::is_symlink(path, error)) {
      plan.links.push_back({.path = name, .target = fs::read_symlink(path, error).string()});
    } else {
      add(path, BindMount::Kind::kFolder);
    }
  }
  add("/etc/alternatives", BindMount::Kind::kFolder);
  add("/etc/ld.so.cache", BindMount::Kind::kFile);
  for (const std::string& folder : InterpreterFolders(program)) {
    add(folder, BindMount::Kind::kFolder);
  }
  for (const char* device : kDevices) add(device, BindMount::Kind::kDevice);
}

void AddParents(const std::string& path, std::vector<std::string>& folders) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    folders.push_back(path.substr(0, slash));
  }
}

// The places that the binds need, the copied system files, and the scratch folder.
void AddMountTargets(SandboxPlan& plan) {
  FileTree& tree = plan.tree;
  std::ranges::copy(CpuFiles(), std::back_inserter(tree.files));
  for (const BindMount& bind : plan.binds) {
    if (bind.kind == BindMount::Kind::kFolder) {
      tree.folders.emplace_back(bind.target());
    } else {
      tree.files.push_back({.path = bind.target(), .content = {}});
    }
    AddParents(bind.target(), tree.folders);
  }
  for (const TextFile& file : CpuFiles()) AddParents(file.path, tree.folders);
  tree.folders.emplace_back(kScratchFolder);
  std::ranges::sort(tree.folders);
  tree.folders.erase(std::ranges::unique(tree.folders).begin(), tree.folders.end());
}

std::size_t TreeBytes(const FileTree& tree) {
  std::size_t bytes = 0;
  for (const TextFile& file : tree.files) bytes += file.content.size() + kPage;
  return bytes;
}

Status PlanPrivateRoot(const WorkerOptions& options, SandboxPlan& plan) {
  if (!options.bundle_root.empty()) {
    ASSIGN_OR_RETURN(plan.tree, ReadBundle(options.bundle_root, kBundleFolder));
  }
  AddMountTargets(plan);
  plan.root_options = fmt::format("mode=0755,size={}", TreeBytes(plan.tree) + kRootSpareBytes);
  plan.scratch_options = fmt::format("mode=1777,size={}", options.scratch_bytes);
  plan.landlock_rules = {{.path = "/", .access = Access::kReadExecute},
                         {.path = fmt::format("/{}", kScratchFolder), .access = Access::kScratch}};
  for (const char* device : kDevices) {
    plan.landlock_rules.push_back({.path = device, .access = Access::kReadWriteDevice});
  }
  return {};
}

// Without a root of its own the worker keeps the host's, and Landlock picks from it.
void PlanProcessOnly(const std::string& bundle_folder, SandboxPlan& plan) {
  for (const BindMount& bind : plan.binds) {
    const bool device = bind.kind == BindMount::Kind::kDevice;
    plan.landlock_rules.push_back(
        {.path = bind.source, .access = device ? Access::kReadWriteDevice : Access::kReadExecute});
  }
  for (const Link& link : plan.links) {
    plan.landlock_rules.push_back({.path = "/" + link.path, .access = Access::kReadExecute});
  }
  for (const std::string_view path : kCpuFiles) {
    plan.landlock_rules.push_back({.path = std::string(path), .access = Access::kReadExecute});
  }
  if (!bundle_folder.empty()) {
    plan.landlock_rules.push_back({.path = bundle_folder, .access = Access::kReadExecute});
  }
}

void PlanLimits(const WorkerOptions& options, SandboxPlan& plan) {
  const auto add = [&](int resource, rlim_t value) {
    plan.limits.push_back({.resource = resource, .limit = {.rlim_cur = value, .rlim_max = value}});
  };
  add(RLIMIT_AS, options.address_space_bytes);
  add(RLIMIT_CPU, kMaxCpuSeconds);
  add(RLIMIT_NOFILE, kMaxOpenFiles);
  add(RLIMIT_FSIZE, options.scratch_bytes);
  add(RLIMIT_CORE, 0);
  add(RLIMIT_MEMLOCK, kMaxLockedBytes);
  add(RLIMIT_STACK, kMaxStackBytes);
  add(RLIMIT_MSGQUEUE, 0);
  // Counted per user and user namespace; elsewhere it would count what else the user runs.
  if (plan.namespaces == NamespaceSet::kAll) {
    add(RLIMIT_NPROC, static_cast<rlim_t>(options.thread_count) + kSpareThreads);
  }
}

void PlanProgram(const PlanInput& input, SandboxPlan& plan) {
  plan.native_main = input.native_main;
  if (plan.native_main) return;
  plan.program = input.options.interpreter.path;
  plan.arguments = {plan.program, "-I", "-B", "-u", "-c", input.shim};
  const bool scratch = plan.namespaces != NamespaceSet::kNone;
  const std::string home = scratch ? fmt::format("/{}", kScratchFolder) : "/nonexistent";
  plan.environment = {fmt::format("OMP_NUM_THREADS={}", input.options.thread_count),
                      fmt::format("MKL_NUM_THREADS={}", input.options.thread_count),
                      fmt::format("OPENBLAS_NUM_THREADS={}", input.options.thread_count),
                      "LC_ALL=C.UTF-8",
                      "PATH=/usr/bin:/bin",
                      "USER=nobody",
                      "HOME=" + home,
                      "TMPDIR=" + home};
}

}  // namespace

Result<SandboxPlan> PlanSandbox(const PlanInput& input) {
  SandboxPlan plan;
  plan.namespaces = input.namespaces;
  plan.become_nobody = geteuid() == 0;
  AddSystemPaths(input.options.interpreter.path, plan);
  if (plan.binds.size() > kMaxBinds) {
    return Fail("worker.start", "the interpreter needs too many folders of the system");
  }
  if (plan.namespaces == NamespaceSet::kNone) {
    PlanProcessOnly(input.process_only_root, plan);
  } else {
    RETURN_IF_ERROR(PlanPrivateRoot(input.options, plan));
  }
  PlanLimits(input.options, plan);
  ASSIGN_OR_RETURN(plan.filter, StartFilter(plan.namespaces != NamespaceSet::kNone));
  PlanProgram(input, plan);
  return plan;
}

}  // namespace cacheon::worker
