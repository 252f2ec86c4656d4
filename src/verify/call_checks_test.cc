// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/call_checks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

constexpr std::uint64_t kKey = 3;

class CallChecks : public testing::Test {
 protected:
  CallChecks() {
    outputs_.push_back(
        {.memory = std::make_unique<OutputMemory>(std::move(*OutputMemory::Create(
             {.name = "out", .role = slots::Role::kOutput, .layout = *tensor::DenseLayout({2, 3})},
             PatternKind::kNan, worker::GuardSide::kAfter, secrets_)))});
    outputs_[0].fingerprint = outputs_[0].memory->Fingerprint(kKey);
  }
  // Writes to the output's first element through its file, as a candidate would.
  void WriteLate() const {
    const worker::TensorMemory& memory = outputs_[0].memory->memory();
    const float value = 7;
    ASSERT_EQ(pwrite(memory.writable_fd(), &value, sizeof value,
                     static_cast<off_t>(memory.element_begin_byte())),
              static_cast<ssize_t>(sizeof value));
  }
  void ExpectRefused(Check check, Code code, const std::string& key_path) const {
    EXPECT_EQ(verdict_.status, RunStatus::kFail);
    EXPECT_EQ(verdict_.checks[check], CheckState::kFailed);
    ASSERT_EQ(verdict_.errors.size(), 1U);
    EXPECT_EQ(verdict_.errors[0].code, code);
    EXPECT_EQ(verdict_.errors[0].where.key_path, key_path);
  }

  Secrets secrets_;
  std::vector<CallOutput> outputs_;
  CaseVerdict verdict_ = {.origin = {}, .status = RunStatus::kPass};
};

TEST_F(CallChecks, SettledFindsAWriteAfterTheReturn) {
  WriteLate();
  CheckSettled(outputs_, kKey, std::chrono::steady_clock::now(), verdict_);
  ExpectRefused(Check::kSettled, "async.late_write", "out");
}

TEST_F(CallChecks, SettledWaitsForTheInterval) {
  const auto returned = std::chrono::steady_clock::now();
  CheckSettled(outputs_, kKey, returned, verdict_);
  EXPECT_GE(std::chrono::steady_clock::now() - returned, kSettleInterval);
  EXPECT_EQ(verdict_.checks[Check::kSettled], CheckState::kOk);
  EXPECT_EQ(verdict_.status, RunStatus::kPass);
}

TEST_F(CallChecks, InputsAreComparedWithWhatWasSealed) {
  const SmallSlot slot;
  PreparedCase prepared = std::move(
      *PrepareCase(slot, *slot.Plan(SmallCase(2, 4), tensor::DType::kFloat32, 1), secrets_));
  CheckInputs(prepared.inputs, secrets_.key(), verdict_);
  EXPECT_EQ(verdict_.checks[Check::kInputs], CheckState::kOk);
  prepared.inputs[0].fingerprint ^= 1;
  CheckInputs(prepared.inputs, secrets_.key(), verdict_);
  ExpectRefused(Check::kInputs, "in.mutated", "x");
}

TEST_F(CallChecks, CensusAllowsThreadsThatEnd) {
  CheckCensus(3, 2, verdict_);
  EXPECT_EQ(verdict_.checks[Check::kEnvironment], CheckState::kOk);
  CheckCensus(1, 2, verdict_);
  ExpectRefused(Check::kEnvironment, "cand.thread_leak", "");
}

TEST_F(CallChecks, TheFirstDecisionStays) {
  Decide(verdict_, RunStatus::kError);
  Refuse(verdict_, Check::kGuards, Fail("mem.oob_write", "bytes were written"));
  EXPECT_EQ(verdict_.status, RunStatus::kError);
  EXPECT_EQ(verdict_.checks[Check::kGuards], CheckState::kFailed);
}

// A case whose reference is not finite proves nothing about the candidate.
TEST_F(CallChecks, AnUnusableCaseIsAnErrorOfOurs) {
  const SmallSlot slot;
  PreparedCase prepared = std::move(
      *PrepareCase(slot, *slot.Plan(SmallCase(2, 3), tensor::DType::kFloat32, 1), secrets_));
  const float infinite = HUGE_VALF;
  std::memcpy(prepared.expected[0].view.data, &infinite, sizeof infinite);
  verdict_.outputs.push_back({.name = "out"});
  CheckComparison(outputs_, prepared, {.slot = slot}, PatternKind::kNan, verdict_);
  EXPECT_EQ(verdict_.status, RunStatus::kError);
  ASSERT_EQ(verdict_.errors.size(), 1U);
  EXPECT_EQ(verdict_.errors[0].code, Code("slot.expected_not_finite"));
  EXPECT_EQ(verdict_.checks[Check::kComparison], CheckState::kUnavailable);
}

}  // namespace
}  // namespace cacheon::verify
