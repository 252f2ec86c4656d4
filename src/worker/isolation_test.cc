// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The layers, what remains of them where namespaces are forbidden, and that nothing stays behind.

#include "cacheon/worker/isolation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "cacheon/core/process.h"
#include "src/worker/candidate_fixture_test.h"
#include "src/worker/layers.h"

namespace cacheon::worker {
namespace {

using testing::HasSubstr;

bool IsActive(const IsolationReport& report, std::string_view name) {
  const auto layer = std::ranges::find(report.layers, name, &Layer::name);
  return layer != report.layers.end() && layer->active;
}

LayerStates AllActive() { return LayerStates{}; }

TEST(IsolationReportTest, AllLayersAreFull) {
  const IsolationReport report = MakeIsolationReport(AllActive(), 6);
  EXPECT_TRUE(report.full());
  EXPECT_EQ(report.level(), "full");
  EXPECT_EQ(report.layers.size(), kLayerCount);
  EXPECT_EQ(report.ToJson().as_object().size(), kLayerCount);
}

TEST(IsolationReportTest, OneMissingLayerIsNamedWithItsReason) {
  LayerStates states = AllActive();
  StateOf(states, LayerKind::kLandlock) = EOPNOTSUPP;
  const IsolationReport report = MakeIsolationReport(states, 0);
  EXPECT_EQ(report.level(), "best");
  const auto layer = std::ranges::find(report.layers, "landlock", &Layer::name);
  EXPECT_FALSE(layer->active);
  EXPECT_THAT(layer->detail, HasSubstr("not supported"));
  EXPECT_EQ(report.ToJson(), [] {
    Json json = MakeIsolationReport(AllActive(), 6).ToJson();
    json["landlock"] = false;
    return json;
  }());
}

TEST(IsolationReportTest, WithoutNamespacesItIsProcessOnly) {
  LayerStates states = AllActive();
  std::fill_n(states.begin(), kNamespaceLayerCount, kNotTried);
  EXPECT_EQ(MakeIsolationReport(states, 6).level(), "process-only");
}

TEST(IsolationReportTest, NoReportIsNotFull) { EXPECT_FALSE(IsolationReport{}.full()); }

TEST(ProbeIsolationTest, HasEveryProcessLayerEverywhere) {
  const IsolationReport report = ProbeIsolation();
  EXPECT_TRUE(IsActive(report, "seccomp"));
  EXPECT_TRUE(IsActive(report, "no_new_privileges"));
  EXPECT_TRUE(IsActive(report, "resource_limits"));
  EXPECT_TRUE(IsActive(report, "own_session"));
  EXPECT_TRUE(IsActive(report, "parent_death_kill"));
  EXPECT_TRUE(IsActive(report, "no_capabilities"));
}

bool DoNothing(std::span<const NativeArgument> /*arguments*/) { return false; }

// The sanitizers' allocators need more address space than a worker may have.
WorkerOptions NativeOptions() {
  WorkerOptions options;
  options.address_space_bytes = SIZE_MAX;
  return options;
}

TEST(IsolationTest, FullIsolationIsDemandedByName) {
  WorkerOptions options = NativeOptions();
  options.use_namespaces = false;
  options.require_full_isolation = true;
  const auto worker = StartNativeWorker(options, DoNothing);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code.text(), "env.isolation");
  EXPECT_THAT(worker.error().message, HasSubstr("user_namespace"));
}

TEST(IsolationTest, BundleThatIsNotThereIsNamed) {
  WorkerOptions options = NativeOptions();
  options.bundle_root = "/no/such/bundle";
  const auto worker = StartNativeWorker(options, DoNothing);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code.text(), "worker.bundle");
  EXPECT_EQ(worker.error().where.file, "/no/such/bundle");
}

TEST(IsolationTest, ProgramThatIsNoInterpreterIsNamed) {
  WorkerOptions options;
  options.interpreter.path = "/no/such/python3";
  const auto worker = Worker::Start(options);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code.text(), "env.python_missing");
  EXPECT_EQ(worker.error().where.file, "/no/such/python3");
}

TEST(IsolationTest, ProgramThatEndsAtOnceIsNoFaultOfTheCandidate) {
  const TestFolder bundle;
  WorkerOptions options;
  options.interpreter.path = "/usr/bin/false";
  options.bundle_root = bundle.path();
  auto worker = Worker::Start(options);
  if (!worker) {
    EXPECT_EQ(worker.error().code.text(), "worker.start");
    return;
  }
  const Outcome outcome = (*worker)->Load("kernel.py", "entry", "", kLimit);
  EXPECT_EQ(outcome.ending, Ending::kInfrastructure);
  EXPECT_EQ(CodeOf(outcome), "worker.start");
}

// The numbers of the child processes of this process, as the host counts.
std::set<std::string> Children() {
  std::set<std::string> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (std::string child; list >> child;) children.insert(child);
  }
  return children;
}

TEST(IsolationTest, WorkerDiesWithItsController) {
  auto pipe = OpenPipe();
  ASSERT_TRUE(pipe);
  const pid_t controller = fork();
  if (controller == 0) {
    const auto worker = StartNativeWorker(NativeOptions(), DoNothing);
    const std::set<std::string> children = Children();
    const std::string number = worker && !children.empty() ? *children.begin() : "none";
    if (!WriteAll(pipe->write_end.get(), number)) _exit(1);
    pause();
  }
  char number[16] = {};
  ASSERT_GT(read(pipe->read_end.get(), number, sizeof number - 1), 0);
  const std::string folder = fmt::format("/proc/{}", number);
  ASSERT_TRUE(std::filesystem::exists(folder)) << folder;
  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);
  const Deadline deadline = Deadline::After(kLimit);
  // A zombie until whoever inherits it looks, but not a living process.
  const auto lives = [&] {
    std::ifstream status(folder + "/stat");
    std::string id;
    std::string name;
    std::string state;
    return (status >> id >> name >> state) && state != "Z" && state != "X";
  };
  while (lives() && !deadline.passed()) usleep(1000);
  EXPECT_FALSE(lives());
}

// Without namespaces.

class ProcessOnlyTest : public CandidateTest {
 protected:
  void SetUp() override {
    CandidateTest::SetUp();
    options_.use_namespaces = false;
  }

  Outcome RunBody(const std::string& body) {
    return Run("import os, socket\ndef entry(x, out):\n    " + body + "\n");
  }

  void ExpectRefused(const std::string& body) {
    const Outcome outcome = RunBody(body);
    EXPECT_EQ(CodeOf(outcome), "cand.raised");
    EXPECT_THAT(outcome.error ? outcome.error->message : "", HasSubstr("PermissionError"));
  }
};

TEST_F(ProcessOnlyTest, HonestCandidateRuns) {
  ASSERT_TRUE(RunBody("out.fill_(3)").done());
  EXPECT_EQ(worker_->isolation().level(), "process-only");
  EXPECT_EQ(tensor::Elements<float>(output_.const_view())[0], 3.0F);
  EXPECT_TRUE(worker_->Stop(kLimit).done());
}

TEST_F(ProcessOnlyTest, StoreIntoAnInputIsStillNamed) {
  const Outcome outcome = RunBody("x[1, 1] = 0");
  EXPECT_EQ(CodeOf(outcome), "in.mutated");
  EXPECT_THAT(outcome.error->message, HasSubstr("`x[1, 1]`"));
}

TEST_F(ProcessOnlyTest, CannotReadThePasswordFile) { ExpectRefused("open('/etc/passwd').read()"); }
TEST_F(ProcessOnlyTest, CannotWriteAnywhere) { ExpectRefused("open('/tmp/x', 'w')"); }
TEST_F(ProcessOnlyTest, CannotReadTheControllersMemory) {
  ExpectRefused(fmt::format("open('/proc/{}/mem', 'rb')", getpid()));
}
TEST_F(ProcessOnlyTest, CannotSignalTheController) {
  ExpectRefused(fmt::format("os.kill({}, 0)", getpid()));
}
TEST_F(ProcessOnlyTest, CannotFork) { ExpectRefused("os.fork()"); }
TEST_F(ProcessOnlyTest, CannotOpenASocket) { ExpectRefused("socket.socket()"); }

// What stays behind.

// Counted from outside: descriptors, threads, children and temporary folders of this process.
struct Census {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::set<std::string> children;
  std::set<std::string> folders;

  friend bool operator==(const Census&, const Census&) = default;
};

Census TakeCensus() {
  namespace fs = std::filesystem;
  Census census;
  const auto count = [](const char* folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  };
  census.descriptors = count("/proc/self/fd");
  census.threads = count("/proc/self/task");
  census.children = Children();
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with(fmt::format("cacheon-worker-{}-", getpid()))) census.folders.insert(name);
  }
  return census;
}

// The host number of the one worker that this process has.
pid_t WorkerPid(const Census& before) {
  for (const std::string& child : TakeCensus().children) {
    if (!before.children.contains(child)) return std::stoi(child);
  }
  return -1;
}

class NothingStaysBehindTest : public CandidateTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    CandidateTest::SetUp();
    options_.use_namespaces = GetParam();
    if (!IsSkipped()) ProbeIsolation();  // opens what the process keeps for all workers
    before_ = TakeCensus();
  }

  void ExpectClean() {
    worker_.reset();
    const Census after = TakeCensus();
    EXPECT_EQ(after.descriptors, before_.descriptors);
    EXPECT_EQ(after.threads, before_.threads);
    EXPECT_EQ(after.children, before_.children);
    EXPECT_EQ(after.folders, before_.folders);
  }

  Census before_;
};

INSTANTIATE_TEST_SUITE_P(Namespaces, NothingStaysBehindTest, testing::Bool());

TEST_P(NothingStaysBehindTest, AfterADoneCall) {
  EXPECT_TRUE(Run("def entry(x, out):\n    out.copy_(x)\n").done());
  ExpectClean();
}

TEST_P(NothingStaysBehindTest, AfterATimeoutWithThreads) {
  const Outcome outcome =
      Run("import threading, time\ndef entry(x, out):\n"
          "    for _ in range(8): threading.Thread(target=time.sleep, args=(99,)).start()\n"
          "    time.sleep(99)\n",
          std::chrono::milliseconds(300));
  EXPECT_EQ(CodeOf(outcome), "cand.timeout");
  ExpectClean();
}

TEST_P(NothingStaysBehindTest, AfterAFault) {
  EXPECT_EQ(CodeOf(Run("def entry(x, out):\n    x[0, 0] = 1\n")), "in.mutated");
  ExpectClean();
}

TEST_P(NothingStaysBehindTest, AfterSomethingElseKilledTheWorker) {
  ASSERT_TRUE(Run("def entry(x, out):\n    out.copy_(x)\n").done());
  kill(WorkerPid(before_), SIGKILL);
  const Outcome outcome = CallAgain();
  EXPECT_EQ(outcome.ending, Ending::kKilled);
  EXPECT_EQ(CodeOf(outcome), "worker.killed");
  ExpectClean();
}

TEST_P(NothingStaysBehindTest, AfterAWorkerThatWasNeverUsed) {
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker);
  worker->reset();
  ExpectClean();
}

}  // namespace
}  // namespace cacheon::worker
