// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// One tiny hostile program per forbidden act, each with the ending and the code that it must get. A
// program whose act the sandbox refuses with an error lets the error out, so it ends as raised.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "src/worker/candidate_fixture_test.h"

namespace cacheon::worker {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr std::chrono::milliseconds kShort{300};

class HostileTest : public CandidateTest {
 protected:
  void SetUp() override {
    CandidateTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(input_.Seal());
  }

  // Runs the statements as the body of `entry(x, out)`.
  Outcome RunBody(const std::string& body, std::chrono::milliseconds limit = kLimit) {
    std::string source = "import ctypes, os, sys, signal, threading, time, torch\n";
    source += "libc = ctypes.CDLL(None, use_errno=True)\n";
    source += "def entry(x, out):\n    " + body;
    for (std::size_t at = source.find("\n    ") + 5; (at = source.find('\n', at)) != source.npos;) {
      source.insert(at + 1, "    ");
      at += 5;
    }
    return Run(source, limit);
  }

  static std::string MessageOf(const Outcome& outcome) {
    return outcome.error ? outcome.error->message : "";
  }

  // The act ended with an exception that says `text`, not with success.
  void ExpectRefused(const std::string& body, const testing::Matcher<std::string>& text) {
    const Outcome outcome = RunBody(body);
    EXPECT_EQ(outcome.ending, Ending::kRaised);
    EXPECT_EQ(CodeOf(outcome), "cand.raised");
    EXPECT_THAT(MessageOf(outcome), text);
  }
};

// Memory.

TEST_F(HostileTest, StoreIntoAnInputNamesTheElement) {
  const Outcome outcome = RunBody("x[2, 3] = 1.0");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "in.mutated");
  EXPECT_EQ(outcome.error->where.key_path, "x");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("`x[2, 3]`"));
}

TEST_F(HostileTest, StoreIntoAnInputCannotBeHandled) {
  const Outcome outcome = RunBody("signal.signal(signal.SIGSEGV, lambda *a: None)\nx[0, 0] = 1.0");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "in.mutated");
}

TEST_F(HostileTest, InputCannotBeMadeWritable) {
  ExpectRefused(
      "if libc.mprotect(ctypes.c_void_p(x.data_ptr() & ~4095), 4096, 3) != 0:\n"
      "    raise OSError(ctypes.get_errno(), 'refused')",
      HasSubstr("refused"));
}

TEST_F(HostileTest, StorePastTheOutputNamesTheDistance) {
  const Outcome outcome = RunBody("ctypes.memset(out.data_ptr() + 4 * 32 + 8, 0, 1)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "mem.oob_write");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("8 bytes past the last element of `out`"));
}

TEST_F(HostileTest, StoreBeforeTheOutputNamesTheDistance) {
  output_ = MakeTensor("out", {4, 8}, tensor::DType::kFloat32, GuardSide::kBefore);
  const Outcome outcome = RunBody("ctypes.memset(out.data_ptr() - 16, 0, 1)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "mem.oob_write");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("16 bytes before the first element of `out`"));
}

TEST_F(HostileTest, LoadPastTheOutputIsARead) {
  const Outcome outcome = RunBody("ctypes.string_at(out.data_ptr() + 4 * 32, 1)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "mem.oob_read");
}

TEST_F(HostileTest, LoadPastAnInputIsARead) {
  const Outcome outcome = RunBody("ctypes.string_at(x.data_ptr() + 4 * 32, 1)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "mem.oob_read");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("`x`"));
}

TEST_F(HostileTest, GuardFaultWithoutAHandlerHasNoDirection) {
  const Outcome outcome = RunBody(
      "signal.signal(signal.SIGSEGV, signal.SIG_DFL)\n"
      "ctypes.memset(out.data_ptr() + 4 * 32, 0, 1)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "mem.oob_access");
}

TEST_F(HostileTest, WildPointerIsACrash) {
  const Outcome outcome = RunBody("ctypes.string_at(8)");
  EXPECT_EQ(outcome.ending, Ending::kFaulted);
  EXPECT_EQ(CodeOf(outcome), "cand.crash");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("0x8"));
}

TEST_F(HostileTest, MemoryBombHitsItsOwnLimit) {
  options_.address_space_bytes = std::size_t{3} << 30U;
  ExpectRefused("hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 26))",
                HasSubstr("MemoryError"));
}

// Leaving, hanging, raising.

TEST_F(HostileTest, EndlessLoopIsKilled) {
  const Outcome outcome = RunBody("while True:\n    pass", kShort);
  EXPECT_EQ(outcome.ending, Ending::kTimedOut);
  EXPECT_EQ(CodeOf(outcome), "cand.timeout");
  EXPECT_GE(outcome.elapsed, kShort);
  EXPECT_LT(outcome.elapsed, kShort * 4);
}

TEST_F(HostileTest, EarlyExitIsNoSuccess) {
  const Outcome outcome = RunBody("os._exit(0)");
  EXPECT_EQ(outcome.ending, Ending::kExited);
  EXPECT_EQ(CodeOf(outcome), "cand.exit");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("status 0"));
}

TEST_F(HostileTest, ExitFromAThreadIsNoSuccess) {
  const Outcome outcome = RunBody(
      "threading.Thread(target=lambda: os._exit(7)).start()\n"
      "time.sleep(10)");
  EXPECT_EQ(outcome.ending, Ending::kExited);
  EXPECT_THAT(MessageOf(outcome), HasSubstr("status 7"));
}

TEST_F(HostileTest, SystemExitIsAnException) {
  ExpectRefused("sys.exit(0)", HasSubstr("SystemExit"));
}

TEST_F(HostileTest, AbortIsTheCandidates) {
  const Outcome outcome = RunBody("libc.abort()");
  EXPECT_THAT(CodeOf(outcome), AnyOf("cand.killed", "cand.crash"));
}

TEST_F(HostileTest, ExceptionComesWithItsLine) {
  const Outcome outcome = Run("def entry(x, out):\n    y = 1\n    raise ValueError('no')\n");
  EXPECT_EQ(outcome.ending, Ending::kRaised);
  EXPECT_EQ(CodeOf(outcome), "cand.raised");
  EXPECT_EQ(MessageOf(outcome), "kernel raised: ValueError: no");
  EXPECT_EQ(outcome.error->where, (Place{.file = "kernel.py", .line = 3}));
}

TEST_F(HostileTest, HugeExceptionTextIsCut) {
  const Outcome outcome = RunBody("raise ValueError('é' * 10_000_000)");
  EXPECT_EQ(CodeOf(outcome), "cand.raised");
  EXPECT_LE(MessageOf(outcome).size(), 5000);
  EXPECT_THAT(MessageOf(outcome), HasSubstr("éé"));
}

TEST_F(HostileTest, ExceptionTextCannotSteerATerminal) {
  const Outcome outcome = RunBody("raise ValueError('\\x1b[2J')");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("?[2J"));
}

TEST_F(HostileTest, ExceptionThatCannotBePrintedIsStillAnException) {
  const Outcome outcome =
      Run("class Bad(Exception):\n    def __str__(self):\n        raise SystemExit\n"
          "def entry(x, out):\n    raise Bad()\n");
  EXPECT_EQ(CodeOf(outcome), "cand.raised");
  EXPECT_EQ(MessageOf(outcome), "kernel raised: Bad");
}

// Loading.

TEST_F(HostileTest, SyntaxErrorComesWithItsLine) {
  const Outcome outcome = Load("import torch\ndef entry(x out):\n    pass\n");
  EXPECT_EQ(outcome.ending, Ending::kRaised);
  EXPECT_EQ(CodeOf(outcome), "cand.syntax");
  EXPECT_EQ(outcome.error->where, (Place{.file = "kernel.py", .line = 2}));
}

TEST_F(HostileTest, ImportThatRaisesComesWithItsLine) {
  const Outcome outcome = Load("import torch\nimport no_such_package\n");
  EXPECT_EQ(CodeOf(outcome), "cand.import");
  EXPECT_EQ(outcome.error->where, (Place{.file = "kernel.py", .line = 2}));
}

TEST_F(HostileTest, MissingEntryIsNamed) {
  const Outcome outcome = Load("def other(x, out):\n    pass\n");
  EXPECT_EQ(CodeOf(outcome), "cand.entry_missing");
  EXPECT_EQ(outcome.error->where.file, "kernel.py");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("`entry`"));
}

TEST_F(HostileTest, MissingPrepareIsNamed) {
  const Outcome outcome = Load("entry = print\nready = 3\n", "ready");
  EXPECT_EQ(CodeOf(outcome), "cand.entry_missing");
  EXPECT_THAT(MessageOf(outcome), HasSubstr("prepare `ready`"));
}

TEST_F(HostileTest, LinkToAHostFileIsNotThere) {
  std::filesystem::create_symlink("/etc/passwd", bundle_.path() + "/linked.py");
  bundle_.Write("kernel.py", "");
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker);
  const Outcome outcome = (*worker)->Load("linked.py", "entry", "", kLimit);
  EXPECT_EQ(CodeOf(outcome), "cand.source_missing");
  EXPECT_EQ(outcome.error->where.file, "linked.py");
}

TEST_F(HostileTest, ExitDuringImportIsNoSuccess) {
  EXPECT_EQ(CodeOf(Load("import os\nos._exit(0)\n")), "cand.exit");
}

// Reaching out.

TEST_F(HostileTest, CannotFork) { ExpectRefused("os.fork()", HasSubstr("PermissionError")); }

TEST_F(HostileTest, CannotStartAProgram) {
  ExpectRefused("os.execv('/usr/bin/true', ['true'])", HasSubstr("PermissionError"));
}

TEST_F(HostileTest, CannotReadThePasswordFile) {
  ExpectRefused("open('/etc/passwd').read()", HasSubstr("FileNotFoundError"));
}

TEST_F(HostileTest, CannotReadTheHostsBundle) {
  ExpectRefused(fmt::format("open('{}/kernel.py').read()", bundle_.path()),
                HasSubstr("FileNotFoundError"));
}

TEST_F(HostileTest, CannotWriteTheBundle) {
  ExpectRefused("open('/bundle/kernel.py', 'a')",
                AnyOf(HasSubstr("PermissionError"), HasSubstr("Read-only")));
}

TEST_F(HostileTest, CannotWriteTheSystem) {
  ExpectRefused("open('/usr/lib/x', 'w')",
                AnyOf(HasSubstr("PermissionError"), HasSubstr("Read-only")));
}

TEST_F(HostileTest, HasNoProc) {
  ExpectRefused("open('/proc/self/maps')", HasSubstr("FileNotFoundError"));
}

TEST_F(HostileTest, ScratchFolderIsBounded) {
  options_.scratch_bytes = std::size_t{8} << 20U;
  ExpectRefused("for i in range(100):\n    open(f'/scratch/{i}', 'wb').write(bytes(1 << 20))",
                AnyOf(HasSubstr("No space"), HasSubstr("too large")));
}

TEST_F(HostileTest, CannotOpenASocket) {
  ExpectRefused("import socket; socket.socket()", HasSubstr("PermissionError"));
}

TEST_F(HostileTest, CannotSeeTheController) {
  ExpectRefused(fmt::format("os.kill({}, 9)", getpid()), HasSubstr("ProcessLookupError"));
}

TEST_F(HostileTest, CannotSignalItsParent) {
  // There is no parent inside the namespace: 0 is the worker's own group, whose first process
  // cannot be killed from inside.
  const Outcome outcome = RunBody("assert os.getppid() == 0\nos.kill(os.getppid(), 9)");
  EXPECT_TRUE(outcome.done()) << MessageOf(outcome);
}

TEST_F(HostileTest, PtraceIsDeadly) {
  const Outcome outcome = RunBody("libc.ptrace(16, 1, 0, 0)");
  EXPECT_EQ(outcome.ending, Ending::kKilled);
  EXPECT_EQ(CodeOf(outcome), "iso.seccomp");
}

TEST_F(HostileTest, CannotUnshare) {
  ExpectRefused("if libc.unshare(0x10000000) != 0: raise OSError(ctypes.get_errno(), 'refused')",
                HasSubstr("PermissionError"));
}

TEST_F(HostileTest, CannotRaiseItsLimits) {
  ExpectRefused("import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
                AnyOf(HasSubstr("PermissionError"), HasSubstr("ValueError")));
}

TEST_F(HostileTest, ThreadsAreBounded) {
  ExpectRefused(
      "for _ in range(1000):\n"
      "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
      HasSubstr("can't start new thread"));
}

TEST_F(HostileTest, ThreadThatStaysIsCounted) {
  const Outcome outcome =
      RunBody("threading.Thread(target=time.sleep, args=(60,), daemon=True).start()");
  ASSERT_TRUE(outcome.done()) << MessageOf(outcome);
  EXPECT_EQ(outcome.threads_after, 2);  // its main thread and the one that stays
}

// The channel.

constexpr const char* kForgedFrame =
    "import struct\n"
    "frame = struct.pack('<4sHHIIIIQ4096s', b'CCWF', 1, {}, {}, 0, 0, 0, 0, b'')\n";

TEST_F(HostileTest, ForgedDoneIsNoticedByTheNextExchange) {
  const Outcome first = RunBody(fmt::format(kForgedFrame, 2, 2) + "os.write(3, frame)");
  EXPECT_TRUE(first.done());
  const Outcome second = worker_->Stop(kLimit);
  EXPECT_EQ(second.ending, Ending::kProtocol);
  EXPECT_EQ(CodeOf(second), "cand.protocol");
}

TEST_F(HostileTest, FrameWithAnotherSequenceIsRefused) {
  const Outcome outcome = RunBody(fmt::format(kForgedFrame, 2, 3) + "os.write(3, frame)");
  EXPECT_EQ(outcome.ending, Ending::kProtocol);
  EXPECT_EQ(CodeOf(outcome), "cand.protocol");
}

TEST_F(HostileTest, SecondReadyIsRefused) {
  EXPECT_EQ(CodeOf(RunBody(fmt::format(kForgedFrame, 1, 0) + "os.write(3, frame)")),
            "cand.protocol");
}

TEST_F(HostileTest, ShortMessageIsRefused) {
  EXPECT_EQ(CodeOf(RunBody("os.write(3, b'PASS')")), "cand.protocol");
}

TEST_F(HostileTest, LongMessageIsRefused) {
  EXPECT_EQ(CodeOf(RunBody("os.write(3, bytes(60000))")), "cand.protocol");
}

TEST_F(HostileTest, ClosedSocketEndsTheWorker) {
  const Outcome outcome = RunBody("os.close(3)");
  EXPECT_EQ(outcome.ending, Ending::kExited);
  EXPECT_EQ(CodeOf(outcome), "cand.exit");
}

TEST_F(HostileTest, ClosedSocketWithALivingProcessIsNoticed) {
  const Outcome outcome = RunBody("os.close(3)\ntime.sleep(60)");
  EXPECT_EQ(outcome.ending, Ending::kProtocol);
  EXPECT_EQ(CodeOf(outcome), "cand.protocol");
}

TEST_F(HostileTest, FloodOfOutputIsKeptShort) {
  const Outcome outcome =
      RunBody("for _ in range(160):\n    print('x' * 65535)\n    sys.stderr.write('y' * 65536)");
  ASSERT_TRUE(outcome.done()) << MessageOf(outcome);
  EXPECT_LT(worker_->captured_stdout().size(), 66'000);
  EXPECT_THAT(worker_->captured_stdout(), HasSubstr("more bytes were dropped"));
  EXPECT_LT(worker_->captured_stderr().size(), 66'000);
}

TEST_F(HostileTest, OutcomeAfterTheEndStaysTheSame) {
  const Outcome first = RunBody("os._exit(3)");
  const Outcome second = CallAgain();
  EXPECT_EQ(second.ending, first.ending);
  EXPECT_EQ(CodeOf(second), CodeOf(first));
}

}  // namespace
}  // namespace cacheon::worker
