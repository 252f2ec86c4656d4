// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What honest candidates get: memory without copies, arguments, prepared state, and their output.

#include "cacheon/worker/worker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/worker/candidate_fixture_test.h"

namespace cacheon::worker {
namespace {

using testing::HasSubstr;

class WorkerTest : public CandidateTest {
 protected:
  float OutputAt(int index) const { return tensor::Elements<float>(output_.const_view())[index]; }

  // Calls with these arguments; an assertion of the candidate shows as its text.
  void ExpectDone(const Outcome& outcome) {
    EXPECT_TRUE(outcome.done()) << FormatError(*outcome.error) << worker_->captured_stderr();
  }
};

TEST_F(WorkerTest, CallWritesIntoTheControllersMemory) {
  const tensor::TensorView input = input_.view();
  for (int i = 0; i < 32; ++i) tensor::Elements<float>(input)[i] = static_cast<float>(i);
  ASSERT_TRUE(input_.Seal());
  const Outcome outcome = Run("def entry(x, out):\n    out.copy_(x * 2)\n");
  ExpectDone(outcome);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(OutputAt(i), static_cast<float>(2 * i));
  EXPECT_FALSE(outcome.returned_value);
  EXPECT_GT(outcome.threads_before, 0);
  EXPECT_EQ(outcome.threads_before, outcome.threads_after);
  EXPECT_GT(outcome.elapsed.count(), 0);
  EXPECT_FALSE(worker_->torch_version().empty());
  ExpectDone(worker_->Stop(kLimit));
}

TEST_F(WorkerTest, SameAddressServesNewContent) {
  ExpectDone(Run("def entry(x, out):\n    out.copy_(x + 1)\n"));
  EXPECT_EQ(OutputAt(5), 1.0F);
  tensor::Elements<float>(input_.view())[5] = 41.0F;
  ExpectDone(CallAgain());
  EXPECT_EQ(OutputAt(5), 42.0F);
}

TEST_F(WorkerTest, UnsealedInputCannotBeWrittenEither) {
  const Outcome outcome = Run("def entry(x, out):\n    x.zero_()\n");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "in.mutated");
}

TEST_F(WorkerTest, ReturnedValueIsSeen) {
  const Outcome outcome = Run("def entry(x, out):\n    out.copy_(x)\n    return out\n");
  ExpectDone(outcome);
  EXPECT_TRUE(outcome.returned_value);
}

TEST_F(WorkerTest, ScalarsArriveWithTheirTypes) {
  ASSERT_TRUE(Load("import math\n"
                   "def entry(flag, count, eps, big, nan):\n"
                   "    assert flag is True\n"
                   "    assert count == -7 and type(count) is int\n"
                   "    assert eps == 1e-6 and type(eps) is float\n"
                   "    assert big == math.inf and math.isnan(nan)\n")
                  .done());
  const std::vector<CallArgument> arguments = {true, std::int64_t{-7}, 1e-6,
                                               std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::quiet_NaN()};
  ExpectDone(worker_->Call(arguments, kLimit));
}

TEST_F(WorkerTest, PreparedStateReachesTheCall) {
  ASSERT_TRUE(Load("def get_ready(x, scale):\n    return x.clone() * scale\n"
                   "def entry(state, out):\n    out.copy_(state)\n",
                   "get_ready")
                  .done());
  tensor::Elements<float>(input_.view())[3] = 5.0F;
  const std::vector<CallArgument> prepare = {TensorArgument{&input_, false}, 3.0};
  ExpectDone(worker_->Prepare(prepare, kLimit));
  const std::vector<CallArgument> call = {PreparedArgument{}, TensorArgument{&output_, true}};
  ExpectDone(worker_->Call(call, kLimit));
  EXPECT_EQ(OutputAt(3), 15.0F);
}

TEST_F(WorkerTest, StridedViewWithOffsetKeepsItsGaps) {
  auto layout = tensor::PaddedLayout({2, 3}, 2);
  auto memory = TensorMemory::Create("out", tensor::DType::kFloat32, *layout, 1, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  output_ = std::move(*memory);
  ExpectDone(
      Run("def entry(x, out):\n"
          "    assert out.shape == (2, 3) and out.stride() == (5, 1)\n"
          "    assert out.storage_offset() == 1\n"
          "    out.fill_(7)\n"));
  const float* first = tensor::Elements<float>(output_.const_view());
  EXPECT_EQ(std::vector<float>(first - 1, first + 8),
            (std::vector<float>{0, 7, 7, 7, 0, 0, 7, 7, 7}));
}

TEST_F(WorkerTest, EmptyTensorHasItsShape) {
  input_ = MakeTensor("x", {0, 8});
  ExpectDone(Run("def entry(x, out):\n    assert x.shape == (0, 8) and x.numel() == 0\n"));
}

struct DTypeCase {
  tensor::DType dtype;
  const char* torch_name;
};

std::string CaseName(const testing::TestParamInfo<DTypeCase>& test) {
  return std::string(tensor::Name(test.param.dtype));
}

class ElementTypeTest : public CandidateTest, public testing::WithParamInterface<DTypeCase> {};

INSTANTIATE_TEST_SUITE_P(Types, ElementTypeTest,
                         testing::Values(DTypeCase{tensor::DType::kBool, "bool"},
                                         DTypeCase{tensor::DType::kUInt8, "uint8"},
                                         DTypeCase{tensor::DType::kInt32, "int32"},
                                         DTypeCase{tensor::DType::kInt64, "int64"},
                                         DTypeCase{tensor::DType::kFloat16, "float16"},
                                         DTypeCase{tensor::DType::kBFloat16, "bfloat16"},
                                         DTypeCase{tensor::DType::kFloat32, "float32"},
                                         DTypeCase{tensor::DType::kFloat64, "float64"},
                                         DTypeCase{tensor::DType::kFloat4E2M1x2, "uint8"}),
                         CaseName);

TEST_P(ElementTypeTest, ArrivesAsTorchNamesIt) {
  input_ = MakeTensor("x", {4, 8}, GetParam().dtype);
  const Outcome outcome = Run(fmt::format(
      "import torch\ndef entry(x, out):\n    assert x.dtype == torch.{}\n    out.copy_(x)\n",
      GetParam().torch_name));
  EXPECT_TRUE(outcome.done()) << FormatError(*outcome.error);
}

TEST_F(WorkerTest, ElementTypeThatTorchLacksIsNotTheCandidatesFault) {
  input_ = MakeTensor("x", {4}, tensor::DType::kFloat8E4M3);
  const Outcome outcome = Run("def entry(x, out):\n    pass\n");
  if (outcome.done()) GTEST_SKIP() << "this torch has float8_e4m3fn";
  EXPECT_EQ(outcome.ending, Ending::kInfrastructure);
  EXPECT_EQ(CodeOf(outcome), "worker.shim");
  EXPECT_THAT(outcome.error->message, HasSubstr("float8_e4m3fn"));
}

TEST_F(WorkerTest, RevokedTensorIsOutOfReach) {
  ExpectDone(
      Run("kept = []\ndef entry(x, out):\n"
          "    if kept: kept[0].clone()\n"
          "    kept.append(x)\n"));
  ExpectDone(worker_->Revoke(input_, kLimit));
  const std::vector<CallArgument> output_only = {TensorArgument{&output_, true},
                                                 TensorArgument{&output_, true}};
  const Outcome outcome = worker_->Call(output_only, kLimit);
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "cand.crash");
}

TEST_F(WorkerTest, TensorCanBeGrantedAgainAfterItWasRevoked) {
  ExpectDone(Run("def entry(x, out):\n    out.copy_(x + 2)\n"));
  ExpectDone(worker_->Revoke(output_, kLimit));
  output_ = MakeTensor("out", {4, 8});
  ExpectDone(CallAgain());
  EXPECT_EQ(OutputAt(0), 2.0F);
}

TEST_F(WorkerTest, ThreadsAreThoseThatWereAskedFor) {
  options_.thread_count = 2;
  ExpectDone(Run("import torch\ndef entry(x, out):\n    assert torch.get_num_threads() == 2\n"));
}

TEST_F(WorkerTest, SystemFilesThatChooseKernelsAreThere) {
  ExpectDone(
      Run("def entry(x, out):\n"
          "    assert 'processor' in open('/proc/cpuinfo').read()\n"
          "    assert open('/sys/devices/system/cpu/online').read()\n"));
}

TEST_F(WorkerTest, ScratchFolderCanBeUsed) {
  ExpectDone(
      Run("import tempfile\ndef entry(x, out):\n"
          "    with tempfile.TemporaryFile() as f: f.write(b'x' * 4096)\n"));
}

TEST_F(WorkerTest, PrintedTextIsCaptured) {
  ExpectDone(
      Run("import sys\ndef entry(x, out):\n"
          "    print('to stdout')\n    print('to stderr', file=sys.stderr)\n"));
  EXPECT_EQ(worker_->captured_stdout(), "to stdout\n");
  EXPECT_THAT(worker_->captured_stderr(), HasSubstr("to stderr"));
}

TEST_F(WorkerTest, ModulesOfTheBundleCanBeImported) {
  std::filesystem::create_directory(bundle_.path() + "/rows");
  bundle_.Write("rows/__init__.py", "");
  bundle_.Write("rows/fill.py", "def fill(out): out.fill_(3.0)\n");
  bundle_.Write("torch.py", "raise ImportError('not the torch of the system')\n");
  ExpectDone(Run("import torch\nfrom rows.fill import fill\ndef entry(x, out):\n    fill(out)\n"));
  EXPECT_EQ(OutputAt(0), 3.0F);
}

TEST_F(WorkerTest, ThreadsAreCountedFromOutside) {
  ExpectDone(
      Run("import threading\ndef entry(x, out):\n"
          "    thread = threading.Thread(target=out.fill_, args=(1.0,))\n"
          "    thread.start()\n"
          "    thread.join()\n"));
  // Joined is not yet ended.
  const auto limit = std::chrono::steady_clock::now() + kLimit;
  while (worker_->thread_count() > 1 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(worker_->thread_count(), 1);
}

TEST_F(WorkerTest, CallAfterAnExceptionWorks) {
  const Outcome first =
      Run("calls = []\ndef entry(x, out):\n    calls.append(1)\n"
          "    if len(calls) == 1: raise ValueError('once')\n");
  EXPECT_EQ(first.ending, Ending::kRaised);
  ExpectDone(CallAgain());
}

// A virtual environment without packages: an interpreter outside of the system's folders.
TEST_F(WorkerTest, InterpreterWithoutTorchIsNotTheCandidatesFault) {
  namespace fs = std::filesystem;
  const TestFolder environment;
  fs::permissions(environment.path(), fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  fs::create_directory(environment.path() + "/bin");
  fs::create_symlink(fs::canonical(options_.interpreter.path), environment.path() + "/bin/python3");
  environment.Write("pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
  options_.interpreter.path = environment.path() + "/bin/python3";
  const Outcome outcome = Load("def entry(x, out):\n    pass\n");
  EXPECT_EQ(outcome.ending, Ending::kInfrastructure);
  EXPECT_EQ(CodeOf(outcome), "env.torch_missing");
  EXPECT_THAT(outcome.error->message, HasSubstr("No module named 'torch'"));
}

// The worker without an interpreter.

bool AddOne(std::span<const NativeArgument> arguments) {
  const auto& x = std::get<tensor::TensorView>(arguments[0]);
  const auto& out = std::get<tensor::TensorView>(arguments[1]);
  for (int i = 0; i < 4; ++i) {
    tensor::Elements<float>(out)[i] = tensor::Elements<float>(x)[i] + 1.0F;
  }
  return true;
}

bool WriteInput(std::span<const NativeArgument> arguments) {
  tensor::Elements<float>(std::get<tensor::TensorView>(arguments[0]))[2] = 1.0F;
  return false;
}

class NativeWorkerTest : public testing::Test {
 protected:
  Outcome Run(NativeEntry entry) {
    WorkerOptions options;
    options.address_space_bytes = SIZE_MAX;  // for the sanitizers' allocators
    auto worker = StartNativeWorker(options, entry);
    if (!worker) return {.ending = Ending::kInfrastructure, .error = worker.error()};
    worker_ = std::move(*worker);
    if (Outcome loaded = worker_->Load("", "", "", kLimit); !loaded.done()) return loaded;
    const std::vector<CallArgument> arguments = {TensorArgument{&input_, false},
                                                 TensorArgument{&output_, true}};
    return worker_->Call(arguments, kLimit);
  }

  TensorMemory input_ = MakeTensor("x", {4});
  TensorMemory output_ = MakeTensor("out", {4});
  std::unique_ptr<Worker> worker_;
};

bool LeaveTheProcess(std::span<const NativeArgument>) { _exit(0); }

// Another thread of the process takes the exit status of any child, as a careless library may. Who
// is first is chance, so it is tried until the thread has been.
TEST_F(NativeWorkerTest, EndThatSomebodyElseSawIsNotTheCandidatesFault) {
  std::atomic<bool> stop = false;
  std::thread thief([&] {
    siginfo_t info;
    while (!stop) {
      if (waitid(P_ALL, 0, &info, WEXITED | __WALL) != 0) std::this_thread::yield();
    }
  });
  std::string code;
  for (int attempt = 0; attempt < 500 && code != "worker.survivor"; ++attempt) {
    const Outcome outcome = Run(LeaveTheProcess);
    code = CodeOf(outcome);
    if (code == "cand.exit") continue;
    EXPECT_EQ(code, "worker.survivor");
    EXPECT_EQ(outcome.ending, Ending::kInfrastructure);
    EXPECT_EQ(outcome.error->where, Place{});
  }
  stop = true;
  worker_.reset();
  thief.join();
  EXPECT_EQ(code, "worker.survivor");
}

TEST_F(NativeWorkerTest, ServesTheSameProtocol) {
  const Outcome outcome = Run(AddOne);
  ASSERT_TRUE(outcome.done()) << FormatError(*outcome.error);
  EXPECT_TRUE(outcome.returned_value);
  EXPECT_EQ(tensor::Elements<float>(output_.const_view())[3], 1.0F);
  EXPECT_TRUE(worker_->Revoke(input_, kLimit).done());
  EXPECT_TRUE(worker_->Stop(kLimit).done());
  EXPECT_EQ(CodeOf(worker_->Stop(kLimit)), "cand.exit");
}

TEST_F(NativeWorkerTest, FaultIsAttributedToo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer instruments the access itself";
#endif
  const Outcome outcome = Run(WriteInput);
  EXPECT_EQ(CodeOf(outcome), "in.mutated");
  EXPECT_THAT(outcome.error->message, HasSubstr("`x[2]`"));
}

}  // namespace
}  // namespace cacheon::worker
