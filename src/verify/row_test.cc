// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/verify/fake_worker_for_test.h"
#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using worker::Ending;

class Row : public testing::Test {
 protected:
  Row() {
    request_ = {.slot = &slot_,
                .variant = "default",
                .source = "kernel.py",
                .entry = "silu_and_mul",
                .prepare = "",
                .dtypes = {tensor::DType::kFloat32},
                .domain = [](const Json::Object&) { return std::nullopt; }};
  }
  RowVerdict Run() {
    Secrets secrets;
    return RunRow(request_, worker_, options_, secrets);
  }

  SmallSlot slot_;
  RowRequest request_;
  Options options_ = {.seed = 11};
  FakeWorker worker_{RightSiluAndMul};
};

// Admits calls whose `field` is at most `limit`.
DomainCheck AtMost(std::string field, std::int64_t limit) {
  return [field = std::move(field),
          limit](const Json::Object& descriptor) -> std::optional<std::string> {
    const std::int64_t value = descriptor.at(field).as_int64();
    if (value <= limit) return std::nullopt;
    return field + " is " + std::to_string(value);
  };
}

TEST_F(Row, WithoutGraphEvidenceAnOpPassesNumerically) {
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kNumericalPass);
  EXPECT_EQ(row.graph, GraphState::kNotVerified);
  EXPECT_EQ(row.slot, "activation.silu_and_mul");
  EXPECT_EQ(row.variant, "default");
  EXPECT_EQ(row.entry, "silu_and_mul");
  EXPECT_THAT(row.cases, SizeIs(2));
  EXPECT_THAT(row.errors, IsEmpty());
}

TEST_F(Row, ABlockNeedsNoGraphEvidence) {
  slot_.contract_.kind = slots::Kind::kBlock;
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kPass);
  EXPECT_EQ(row.graph, GraphState::kNotRequired);
}

TEST_F(Row, RunsEveryDTypeAndOurCasesAfterThePublished) {
  slot_.ours = {SmallCase(1, 4)};
  slot_.ours[0].kind = slots::CaseKind::kOurs;
  request_.dtypes = {tensor::DType::kFloat32, tensor::DType::kFloat32};
  const RowVerdict row = Run();
  ASSERT_THAT(row.cases, SizeIs(8));
  EXPECT_EQ(row.cases[2].origin.kind, slots::CaseKind::kOurs);
  EXPECT_EQ(row.cases[2].seed, 11U + 2);
  EXPECT_EQ(row.cases[3].origin.value_profile, "default+one_changed");
  EXPECT_EQ(row.cases[3].status, RunStatus::kPass);
  options_.cases = CaseList::kPublished;
  FakeWorker other(RightSiluAndMul);
  Secrets secrets;
  EXPECT_THAT(RunRow(request_, other, options_, secrets).cases, SizeIs(4));
}

TEST_F(Row, DrawsCountsAnewForEverySeed) {
  slot_.published = {SmallCase(64, 8), SmallCase(128, 8)};
  const auto counts = [&](std::uint64_t seed) {
    options_.seed = seed;
    FakeWorker worker(RightSiluAndMul);
    Secrets secrets;
    std::vector<std::int64_t> found;
    for (const CaseVerdict& one : RunRow(request_, worker, options_, secrets).cases) {
      found.push_back(one.origin.parameters.at("num_tokens").as_int64());
    }
    return found;
  };
  EXPECT_EQ(counts(1), counts(1));
  EXPECT_NE(counts(1), counts(2));
}

// Jitter must not move a case out of the domain that the case as published lies in.
TEST_F(Row, FallsBackToThePublishedCountWhenJitterLeavesTheDomain) {
  slot_.published = {SmallCase(64, 8)};
  request_.domain = AtMost("num_tokens", 64);
  for (options_.seed = 0; options_.seed < 8; ++options_.seed) {
    FakeWorker worker(RightSiluAndMul);
    Secrets secrets;
    const RowVerdict row = RunRow(request_, worker, options_, secrets);
    ASSERT_THAT(row.cases, SizeIs(1));
    EXPECT_TRUE(row.cases[0].applicable);
    EXPECT_LE(row.cases[0].origin.parameters.at("num_tokens").as_int64(), 64);
  }
}

TEST_F(Row, KeepsCasesOutsideTheDomainAsNotApplicable) {
  slot_.published = {SmallCase(4, 8), SmallCase(4, 16), SmallCase(4, 4)};
  request_.domain = AtMost("last_dim", 16);
  const RowVerdict row = Run();
  ASSERT_THAT(row.cases, SizeIs(3));
  EXPECT_EQ(row.cases[0].status, RunStatus::kPass);
  EXPECT_FALSE(row.cases[1].applicable);
  EXPECT_EQ(row.cases[1].status, RunStatus::kNotApplicable);
  EXPECT_EQ(row.cases[1].mismatch, "last_dim is 32");
  EXPECT_EQ(row.cases[2].status, RunStatus::kPass);
  EXPECT_EQ(row.applicable_count(), 2);
  EXPECT_EQ(row.status, RunStatus::kNumericalPass);
}

TEST_F(Row, IsNotApplicableWhenNoCaseIsAndSaysWhy) {
  request_.domain = AtMost("last_dim", 1);
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kNotApplicable);
  EXPECT_EQ(worker_.calls(), 0);
  ASSERT_THAT(row.errors, SizeIs(1));
  EXPECT_EQ(row.errors[0].code, Code("verify.nothing_ran"));
  EXPECT_EQ(row.errors[0].hint, "last_dim is 16");
}

TEST_F(Row, TellsTheDomainWhereItRuns) {
  options_.model = "MiniMax-M3";
  std::vector<std::string> seen;
  request_.domain = [&](const Json::Object& descriptor) -> std::optional<std::string> {
    for (const char* field : {"architecture", "graph_mode", "model", "dtype"}) {
      seen.push_back(descriptor.at(field).as_string());
    }
    return "outside";
  };
  slot_.published.resize(1);
  slot_.published[0].parameters["num_tokens"] = Json(0);
  Run();
  seen.resize(4);
  EXPECT_THAT(seen, ElementsAre("cpu", "eager", "MiniMax-M3", "float32"));
}

TEST_F(Row, TellsItsProgressCaseByCase) {
  std::vector<std::string> lines;
  options_.progress = [&](std::string_view line) { lines.emplace_back(line); };
  Run();
  EXPECT_THAT(lines, ElementsAre("activation.silu_and_mul: case 1 of 2",
                                 "activation.silu_and_mul: case 2 of 2"));
}

TEST_F(Row, RefusesAPrepareThatTheSlotHasNot) {
  request_.prepare = "prepare";
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kFail);
  ASSERT_THAT(row.errors, SizeIs(1));
  EXPECT_EQ(row.errors[0].code, Code("slot.prepare"));
  EXPECT_EQ(row.errors[0].where.key_path, "prepare");
  EXPECT_THAT(row.cases, IsEmpty());
}

TEST_F(Row, RefusesAMissingPrepare) {
  slot_.contract_.prepare_arguments = slot_.contract_.arguments;
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kFail);
  ASSERT_THAT(row.errors, SizeIs(1));
  EXPECT_EQ(row.errors[0].code, Code("slot.prepare"));
}

TEST_F(Row, AnImportThatFailsIsTheCandidates) {
  worker_.on_load = [] { return EndedWith(Ending::kRaised, "cand.import"); };
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kFail);
  EXPECT_EQ(row.errors.at(0).code, Code("cand.import"));
  EXPECT_EQ(worker_.calls(), 0);
}

TEST_F(Row, AMissingTorchIsTheMachines) {
  worker_.on_load = [] { return EndedWith(Ending::kInfrastructure, "env.torch_missing"); };
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kError);
  EXPECT_EQ(row.errors.at(0).code, Code("env.torch_missing"));
}

TEST_F(Row, DoesNotPassWhenCasesWereNotRun) {
  slot_.published.push_back(SmallCase(2, 8));
  worker_.on_revoke = [] { return EndedWith(Ending::kExited, "cand.exit"); };
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kFail);
  EXPECT_THAT(row.cases, SizeIs(1));
  ASSERT_THAT(row.errors, SizeIs(1));
  EXPECT_EQ(row.errors[0].code, Code("verify.cases_not_run"));
  EXPECT_EQ(row.errors[0].message, "2 of 3 cases were not run, because the worker had ended");
}

TEST_F(Row, ASlotThatCannotPlanIsAnError) {
  slot_.published[0].parameters["d"] = Json(0);
  const RowVerdict row = Run();
  EXPECT_EQ(row.status, RunStatus::kError);
  EXPECT_EQ(row.errors.at(0).code, Code("slot.parameter"));
  EXPECT_EQ(row.errors.at(0).where.key_path, "parameters.d");
}

}  // namespace
}  // namespace cacheon::verify
