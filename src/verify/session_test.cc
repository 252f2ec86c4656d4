// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/philox.h"
#include "src/verify/fake_worker_for_test.h"
#include "src/verify/row.h"
#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using worker::Ending;
using worker::Outcome;

struct Ran {
  std::vector<CaseVerdict> cases;
  bool alive = false;
};

// Runs the published cases of a small slot in float32.
Ran RunCases(FakeWorker& worker, const SmallSlot& slot = {}, const Options& options = {}) {
  Secrets secrets;
  Session session(slot, worker, options, secrets);
  Ran ran;
  for (const slots::Case& one : slot.published) {
    if (!session.alive()) break;
    Result<slots::CallPlan> plan = slot.Plan(one, tensor::DType::kFloat32, 5);
    Result<PreparedCase> prepared = PrepareCase(slot, std::move(*plan), secrets);
    ran.cases.push_back(session.RunCase(std::move(*prepared)));
  }
  session.Finish(ran.cases);
  ran.alive = session.alive();
  return ran;
}

CaseVerdict RunOne(const FakeWorker::Entry& entry, const slots::Case& one = SmallCase(4, 8)) {
  FakeWorker worker(entry);
  SmallSlot slot;
  slot.published = {one};
  return RunCases(worker, slot).cases.at(0);
}

// "CODE KEY_PATH" of every error.
std::vector<std::string> Found(const CaseVerdict& verdict) {
  std::vector<std::string> found;
  for (const Error& error : verdict.errors) {
    found.push_back(std::string(error.code.text()) +
                    (error.where.key_path.empty() ? "" : " " + error.where.key_path));
  }
  return found;
}

TEST(Session, PassesARightKernelWithEveryCheckMade) {
  FakeWorker worker(RightSiluAndMul);
  SmallSlot slot;
  slot.published.push_back(SmallCase(1, 8));
  const Ran ran = RunCases(worker, slot);
  ASSERT_EQ(ran.cases.size(), 3U);
  for (const CaseVerdict& verdict : ran.cases) {
    EXPECT_EQ(verdict.status, RunStatus::kPass);
    EXPECT_THAT(verdict.errors, IsEmpty());
    for (std::size_t i = 0; i < kCheckCount; ++i) {
      EXPECT_EQ(verdict.checks[static_cast<Check>(i)], CheckState::kOk)
          << CheckName(static_cast<Check>(i));
    }
  }
  EXPECT_EQ(worker.calls(), 6);  // each case under both poisons
  EXPECT_EQ(worker.stops(), 1);
}

TEST(Session, CallsOnceInThePublishedList) {
  FakeWorker worker(RightSiluAndMul);
  RunCases(worker, {}, {.cases = CaseList::kPublished});
  EXPECT_EQ(worker.calls(), 2);
}

TEST(Session, PassesACaseWithoutRows) {
  EXPECT_EQ(RunOne(RightSiluAndMul, SmallCase(0, 8)).status, RunStatus::kPass);
}

TEST(Session, RefusesANoOp) {
  const CaseVerdict verdict = RunOne([](const FakeCall&) { return Outcome{}; });
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kCoverage], CheckState::kFailed);
  EXPECT_EQ(verdict.outputs.at(0).unwritten, 4 * 8);
  EXPECT_THAT(Found(verdict), ElementsAre("out.unwritten out"));
}

TEST(Session, CountsWhatAPartialWriteLeftOut) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    SiluAndMulRows(call, 3);
    return Outcome{};
  });
  EXPECT_EQ(verdict.checks[Check::kCoverage], CheckState::kFailed);
  EXPECT_EQ(verdict.outputs.at(0).unwritten, 8);
  EXPECT_THAT(Found(verdict), ElementsAre("out.unwritten out"));
  EXPECT_NE(verdict.errors.at(0).message.find("the first is [3, 0]"), std::string::npos);
}

// Writes only where the output does not look like poison, as a kernel does that knows of NaN.
TEST(Session, RefusesAResultThatDependsOnOldContents) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    const FakeTensor& out = call.tensors.at(1);
    const float old = out.row(0)[0];
    RightSiluAndMul(call);
    if (!std::isnan(old)) out.row(0)[0] += old;
    return Outcome{};
  });
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kCoverage], CheckState::kFailed);
  EXPECT_EQ(verdict.checks[Check::kComparison], CheckState::kOk);
  EXPECT_THAT(Found(verdict), ElementsAre("out.unwritten out[0, 0]"));
}

TEST(Session, RefusesAddingToTheOutput) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    const FakeTensor& out = call.tensors.at(1);
    const float old = out.row(1)[2];
    RightSiluAndMul(call);
    out.row(1)[2] += old;
    return Outcome{};
  });
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kComparison], CheckState::kFailed);
  // A sum with NaN is that NaN: the element looks as if nothing had written it.
  EXPECT_THAT(Found(verdict), ElementsAre("out.unwritten out"));
}

TEST(Session, RefusesWrongNumbersWithTheWorstElement) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    RightSiluAndMul(call);
    call.tensors.at(1).row(2)[5] = 100;
    return Outcome{};
  });
  EXPECT_EQ(verdict.checks[Check::kComparison], CheckState::kFailed);
  EXPECT_THAT(Found(verdict), ElementsAre(testing::StartsWith("cmp.")));
  EXPECT_EQ(verdict.errors.at(0).where.key_path, "out[2, 5]");
  ASSERT_TRUE(verdict.outputs.at(0).comparison.worst);
  EXPECT_EQ(verdict.outputs.at(0).comparison.worst->actual, 100);
}

TEST(Session, RefusesNaNAsComputedAndNotAsUnwritten) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    for (std::int64_t i = 0; i < 4; ++i) std::fill_n(call.tensors.at(1).row(i), 8, NAN);
    return Outcome{};
  });
  EXPECT_EQ(verdict.checks[Check::kCoverage], CheckState::kOk);
  EXPECT_EQ(verdict.checks[Check::kComparison], CheckState::kFailed);
  EXPECT_THAT(Found(verdict), ElementsAre("cmp.nonfinite out[0, 0]"));
}

TEST(Session, RefusesWritesBesideTheElements) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    RightSiluAndMul(call);
    const FakeTensor& out = call.tensors.at(1);
    out.row(0)[-1] = -out.row(0)[-1];
    return Outcome{};
  });
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kGuards], CheckState::kFailed);
  EXPECT_EQ(verdict.checks[Check::kComparison], CheckState::kOk);
  EXPECT_THAT(Found(verdict), ElementsAre("mem.oob_write out"));
  // The sign stands in the last byte before the first element.
  EXPECT_NE(verdict.errors.at(0).message.find("at byte -1 "), std::string::npos)
      << verdict.errors.at(0).message;
}

TEST(Session, FindsAWriteThatComesAfterTheCall) {
  std::function<void()> late = [] {};
  FakeWorker worker([&](const FakeCall& call) {
    float* element = call.tensors.at(1).row(0);
    RightSiluAndMul(call);
    late = [element] { *element += 1; };
    return Outcome{};
  });
  worker.on_revoke = [&] {
    late();
    return Outcome{};
  };
  SmallSlot slot;
  slot.published.resize(1);
  const CaseVerdict verdict = RunCases(worker, slot).cases.at(0);
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kRetained], CheckState::kFailed);
  EXPECT_THAT(Found(verdict), ElementsAre("async.late_write out"));
}

TEST(Session, RefusesACallThatChangesAnEarlierOutput) {
  std::optional<FakeTensor> kept;
  FakeWorker worker([&](const FakeCall& call) {
    if (call.number == 2) *kept->row(0) += 1;
    RightSiluAndMul(call);
    if (call.number == 0) kept = call.tensors.at(1);
    return Outcome{};
  });
  const Ran ran = RunCases(worker);
  EXPECT_EQ(ran.cases.at(0).status, RunStatus::kPass);
  EXPECT_EQ(ran.cases.at(1).checks[Check::kRetained], CheckState::kFailed);
  EXPECT_THAT(Found(ran.cases.at(1)), ElementsAre("mem.retained_write out"));
}

TEST(Session, RefusesASecondCallThatChangesTheFirstOutputOfItsCase) {
  std::optional<FakeTensor> kept;
  const CaseVerdict verdict = RunOne([&](const FakeCall& call) {
    if (call.number == 1) *kept->row(0) += 1;
    RightSiluAndMul(call);
    kept = call.tensors.at(1);
    return Outcome{};
  });
  EXPECT_EQ(verdict.checks[Check::kRetained], CheckState::kFailed);
  EXPECT_THAT(Found(verdict), ElementsAre("mem.retained_write out"));
}

TEST(Session, RefusesAThreadThatIsLeftBehind) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    RightSiluAndMul(call);
    return Outcome{.threads_before = 1, .threads_after = 2};
  });
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(verdict.checks[Check::kEnvironment], CheckState::kFailed);
  EXPECT_THAT(Found(verdict), ElementsAre("cand.thread_leak"));
}

TEST(Session, WarnsOfAReturnedValueOnce) {
  const CaseVerdict verdict = RunOne([](const FakeCall& call) {
    RightSiluAndMul(call);
    return Outcome{.returned_value = true};
  });
  EXPECT_EQ(verdict.status, RunStatus::kPass);
  EXPECT_THAT(Found(verdict), ElementsAre("call.return_value"));
  EXPECT_EQ(verdict.errors.at(0).severity, Severity::kWarning);
}

struct Death {
  Ending ending;
  Code code;
  RunStatus status;
};

class SessionDeath : public testing::TestWithParam<Death> {};

TEST_P(SessionDeath, DuringACallEndsTheRow) {
  const Death death = GetParam();
  FakeWorker worker([&](const FakeCall& call) {
    RightSiluAndMul(call);
    return EndedWith(death.ending, death.code);
  });
  const Ran ran = RunCases(worker);
  ASSERT_EQ(ran.cases.size(), 1U);
  EXPECT_FALSE(ran.alive);
  EXPECT_EQ(ran.cases.at(0).status, death.status);
  EXPECT_EQ(ran.cases.at(0).checks[Check::kAnswered], CheckState::kFailed);
  EXPECT_EQ(ran.cases.at(0).checks[Check::kCoverage], CheckState::kUnavailable);
  EXPECT_THAT(Found(ran.cases.at(0)), ElementsAre(death.code.text()));
  EXPECT_THAT(ran.cases.at(0).errors.at(0).context, ElementsAre("calling the entry"));
}

// The candidate answers rightly and dies afterwards, so that no later case can be looked at.
TEST_P(SessionDeath, BetweenCasesIsChargedToTheCaseBefore) {
  const Death death = GetParam();
  FakeWorker worker(RightSiluAndMul);
  worker.on_revoke = [&] { return EndedWith(death.ending, death.code); };
  const Ran ran = RunCases(worker);
  ASSERT_EQ(ran.cases.size(), 1U);
  EXPECT_EQ(ran.cases.at(0).status, death.status);
  EXPECT_EQ(ran.cases.at(0).checks[Check::kAnswered], CheckState::kFailed);
  EXPECT_THAT(Found(ran.cases.at(0)), ElementsAre(death.code.text()));
}

TEST_P(SessionDeath, AtTheEndIsChargedToTheLastCase) {
  const Death death = GetParam();
  FakeWorker worker(RightSiluAndMul);
  worker.on_stop = [&] { return EndedWith(death.ending, death.code); };
  const Ran ran = RunCases(worker);
  ASSERT_EQ(ran.cases.size(), 2U);
  EXPECT_EQ(ran.cases.at(0).status, RunStatus::kPass);
  EXPECT_EQ(ran.cases.at(1).status, death.status);
  EXPECT_THAT(Found(ran.cases.at(1)), ElementsAre(death.code.text()));
}

INSTANTIATE_TEST_SUITE_P(
    Endings, SessionDeath,
    testing::Values(Death{Ending::kTimedOut, "cand.timeout", RunStatus::kFail},
                    Death{Ending::kExited, "cand.exit", RunStatus::kFail},
                    Death{Ending::kKilled, "cand.killed", RunStatus::kFail},
                    Death{Ending::kFaulted, "in.mutated", RunStatus::kFail},
                    Death{Ending::kProtocol, "cand.protocol", RunStatus::kFail},
                    Death{Ending::kInfrastructure, "worker.killed", RunStatus::kError}),
    [](const auto& suite) {
      std::string name(suite.param.code.text());
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(Session, GoesOnAfterAnException) {
  FakeWorker worker([](const FakeCall& call) {
    if (call.number == 0) return EndedWith(Ending::kRaised, "cand.raised");
    return RightSiluAndMul(call);
  });
  const Ran ran = RunCases(worker);
  EXPECT_EQ(ran.cases.at(0).status, RunStatus::kFail);
  EXPECT_THAT(Found(ran.cases.at(0)), ElementsAre("cand.raised"));
  EXPECT_EQ(ran.cases.at(1).status, RunStatus::kPass);
}

// The grants of a call that raised are still mapped, so its outputs are watched like all others.
TEST(Session, WatchesTheOutputsOfACallThatRaised) {
  std::optional<FakeTensor> kept;
  FakeWorker worker([&](const FakeCall& call) {
    if (call.number == 0) {
      kept = call.tensors.at(1);
      return EndedWith(Ending::kRaised, "cand.raised");
    }
    *kept->row(0) = 1;
    return RightSiluAndMul(call);
  });
  const Ran ran = RunCases(worker);
  EXPECT_THAT(Found(ran.cases.at(1)), ElementsAre("mem.retained_write out"));
}

TEST(Session, TakesEveryInputBack) {
  FakeWorker worker(RightSiluAndMul);
  RunCases(worker);
  EXPECT_EQ(worker.grants(), 4U);  // the small outputs, which stay until the row ends
}

TEST(Session, RefusesAPrepareThatFails) {
  FakeWorker worker(RightSiluAndMul);
  worker.on_prepare = [] { return EndedWith(Ending::kRaised, "cand.raised"); };
  SmallSlot slot;
  slot.contract_.prepare_arguments = slot.contract_.arguments;
  const Ran ran = RunCases(worker, slot);
  EXPECT_EQ(worker.calls(), 0);
  EXPECT_EQ(ran.cases.at(0).status, RunStatus::kFail);
  EXPECT_THAT(Found(ran.cases.at(0)), ElementsAre("cand.raised"));
  EXPECT_THAT(ran.cases.at(0).errors.at(0).context, ElementsAre("preparing the weights"));
}

TEST(Session, FirstDecisionStays) {
  // Wrong numbers, and then the machine fails: the candidate was seen to be wrong.
  FakeWorker worker([](const FakeCall& call) {
    RightSiluAndMul(call);
    *call.tensors.at(1).row(0) = 1e6F;
    return Outcome{};
  });
  worker.on_revoke = [] { return EndedWith(Ending::kInfrastructure, "worker.killed"); };
  const Ran ran = RunCases(worker);
  EXPECT_EQ(ran.cases.at(0).status, RunStatus::kFail);
  EXPECT_THAT(Found(ran.cases.at(0)), Contains("worker.killed"));
}

Outcome RandomOutcome(Philox& random) {
  struct Choice {
    Ending ending;
    Code code;
  };
  static constexpr std::array kChoices = {
      Choice{Ending::kRaised, "cand.raised"},        Choice{Ending::kTimedOut, "cand.timeout"},
      Choice{Ending::kExited, "cand.exit"},          Choice{Ending::kKilled, "cand.killed"},
      Choice{Ending::kFaulted, "mem.oob_write"},     Choice{Ending::kProtocol, "cand.protocol"},
      Choice{Ending::kInfrastructure, "worker.shim"}};
  const std::int64_t choice = random.NextInt(0, 3 * static_cast<std::int64_t>(kChoices.size()));
  if (choice < static_cast<std::int64_t>(kChoices.size())) {
    const Choice& chosen = kChoices[static_cast<std::size_t>(choice)];
    return EndedWith(chosen.ending, chosen.code);
  }
  return {.elapsed = std::chrono::nanoseconds(random.NextInt(0, 1'000'000)),
          .returned_value = random.NextInt(0, 1) == 1,
          .threads_before = static_cast<int>(random.NextInt(0, 2)),
          .threads_after = static_cast<int>(random.NextInt(0, 2))};
}

// Whatever a worker says, nothing passes unless the memory holds the answer.
TEST(Session, NoAnswerPassesWithoutWritingMemory) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Philox random(seed);
    const auto answer = [&] { return RandomOutcome(random); };
    FakeWorker worker([&](const FakeCall&) { return answer(); });
    worker.on_load = worker.on_prepare = worker.on_revoke = worker.on_stop = answer;
    const SmallSlot slot;
    Secrets secrets;
    const RowVerdict row = RunRow({.slot = &slot,
                                   .variant = "default",
                                   .source = "kernel.py",
                                   .entry = "entry",
                                   .prepare = "",
                                   .dtypes = {tensor::DType::kFloat32},
                                   .domain = [](const auto&) { return std::nullopt; }},
                                  worker, {.seed = seed}, secrets);
    EXPECT_TRUE(row.status == RunStatus::kFail || row.status == RunStatus::kError) << seed;
    for (const CaseVerdict& verdict : row.cases) {
      EXPECT_TRUE(verdict.status == RunStatus::kFail || verdict.status == RunStatus::kError)
          << seed;
      EXPECT_THAT(verdict.errors, testing::Not(IsEmpty())) << seed;
    }
  }
}

}  // namespace
}  // namespace cacheon::verify
