// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/worker_start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/worker/layers.h"
#include "src/worker/process_worker.h"
#include "src/worker/shim_source.h"
#include "src/worker/supervisor.h"
#include "src/worker/temporary_folder.h"

namespace cacheon::worker {
namespace {

// Which sets of namespaces to try, the strongest first.
std::vector<NamespaceSet> Attempts(const WorkerOptions& options) {
  std::vector<NamespaceSet> attempts;
  if (options.use_namespaces) {
    attempts.push_back(NamespaceSet::kAll);
    if (geteuid() == 0) attempts.push_back(NamespaceSet::kWithoutUser);
  }
  attempts.push_back(NamespaceSet::kNone);
  return attempts;
}

// A process that stands, and what it needs to live.
struct Started {
  std::unique_ptr<Supervisor> supervisor;
  TemporaryFolder bundle;  // without a private root
  std::string bundle_path;
};

std::expected<Started, Supervisor::Failure> StartWith(const WorkerOptions& options,
                                                      NamespaceSet namespaces,
                                                      const NativeMain& native_main) {
  Started started;
  started.bundle_path = fmt::format("/{}", kBundleFolder);
  PlanInput input{.options = options,
                  .namespaces = namespaces,
                  .shim = std::string(ShimSource()),
                  .native_main = native_main};
  if (namespaces == NamespaceSet::kNone && !options.bundle_root.empty()) {
    const auto tree = ReadBundle(options.bundle_root, kBundleFolder);
    if (!tree) return std::unexpected(Supervisor::Failure{tree.error()});
    auto folder = TemporaryFolder::Create(*tree);
    if (!folder) return std::unexpected(Supervisor::Failure{folder.error()});
    started.bundle = std::move(*folder);
    input.process_only_root = started.bundle.path();
    started.bundle_path = fmt::format("{}/{}", started.bundle.path(), kBundleFolder);
  }
  const auto plan = PlanSandbox(input);
  if (!plan) return std::unexpected(Supervisor::Failure{plan.error()});
  auto supervisor = Supervisor::Start(*plan);
  if (!supervisor) return std::unexpected(std::move(supervisor.error()));
  started.supervisor = std::move(*supervisor);
  return started;
}

Result<Started> StartStrongest(const WorkerOptions& options, const NativeMain& native_main) {
  const std::vector<NamespaceSet> attempts = Attempts(options);
  for (std::size_t i = 0;; ++i) {
    auto started = StartWith(options, attempts[i], native_main);
    if (started) return std::move(*started);
    if (!started.error().namespaces_refused || i + 1 == attempts.size()) {
      return Fail(std::move(started.error().error));
    }
  }
}

// Names the missing layers when that is not acceptable.
Status CheckIsolation(const IsolationReport& report, bool require_full) {
  std::string missing;
  bool contained = false;  // what the candidate starts cannot outlive it
  for (const Layer& layer : report.layers) {
    contained |= layer.active && (layer.name == "pid_namespace" || layer.name == "seccomp");
    if (!layer.active) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", layer.name);
  }
  if (contained && (missing.empty() || !require_full)) return {};
  return Fail("env.isolation", fmt::format("the sandbox lacks {}", missing), {},
              "allow user namespaces and Landlock, or run where the kernel has them");
}

}  // namespace

Result<std::unique_ptr<Worker>> StartProcess(const WorkerOptions& options,
                                             const NativeMain& native_main) {
  ASSIGN_OR_RETURN(Started started, StartStrongest(options, native_main));
  const SetupReport& setup = started.supervisor->report();
  IsolationReport isolation = MakeIsolationReport(setup.layers, setup.landlock_abi);
  RETURN_IF_ERROR(CheckIsolation(isolation, options.require_full_isolation));
  auto worker = std::make_unique<ProcessWorker>(std::move(started.supervisor), std::move(isolation),
                                                std::move(started.bundle_path),
                                                std::move(started.bundle), options.start_limit);
  RETURN_IF_ERROR(worker->SendStart(options.thread_count));
  return worker;
}

Result<std::unique_ptr<Worker>> Worker::Start(const WorkerOptions& options) {
  if (access(options.interpreter.path.c_str(), X_OK) != 0) {
    return Fail("env.python_missing", "the interpreter cannot be run",
                {.file = options.interpreter.path}, "name a Python with torch with --python");
  }
  return StartProcess(options, {});
}

IsolationReport ProbeIsolation() {
  // A child that has nothing to do: it ends once it has locked itself in.
  const NativeMain kNothing = [](int) {};
  const auto started = StartStrongest(WorkerOptions{}, kNothing);
  if (!started) {
    LayerStates states;
    states.fill(kNotTried);
    return MakeIsolationReport(states, 0);
  }
  const SetupReport& setup = started->supervisor->report();
  return MakeIsolationReport(setup.layers, setup.landlock_abi);
}

}  // namespace cacheon::worker
