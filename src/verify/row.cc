// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

#include "src/verify/changed_twin.h"
#include "src/verify/prepare_ahead.h"
#include "src/verify/session.h"

namespace cacheon::verify {
namespace {

// Cases that exist ahead of the worker, in bytes, relative to the largest one.
constexpr double kAheadFactor = 1.25;

// How many of our cases of each dtype are followed by a twin, and how large those may be.
constexpr std::size_t kTwins = 4;
constexpr std::size_t kLargestTwinBytes = std::size_t{1} << 20U;
// The stream of random numbers, of the run's seed, that chooses them.
constexpr std::uint64_t kTwinStream = 0x7477696e;

// A case as it will be run, or why it is not.
struct PlannedCase {
  CaseVerdict verdict;  // of cases that are not run
  bool runs = false;
};

struct RowPlan {
  std::vector<PlannedCase> cases;
  std::vector<slots::CallPlan> calls;  // of the cases that run, in order
};

// The fields of the call descriptor that the context decides.
void AddContext(Json::Object& descriptor, const Options& options) {
  descriptor.try_emplace("architecture", "cpu");
  descriptor.try_emplace("graph_mode", "eager");
  if (!options.model.empty()) descriptor.insert_or_assign("model", options.model);
}

// The catalogue case when jitter moved the case out of the domain; the jittered one otherwise.
Result<slots::CallPlan> PlanInDomain(const RowRequest& request, const slots::Case& jittered,
                                     const slots::Case& original, tensor::DType dtype,
                                     std::uint64_t seed, const Options& options,
                                     std::optional<std::string>& mismatch) {
  ASSIGN_OR_RETURN(slots::CallPlan plan, request.slot->Plan(jittered, dtype, seed));
  AddContext(plan.descriptor, options);
  mismatch = request.domain(plan.descriptor);
  if (!mismatch || jittered.parameters == original.parameters) return plan;
  ASSIGN_OR_RETURN(slots::CallPlan fallback, request.slot->Plan(original, dtype, seed));
  AddContext(fallback.descriptor, options);
  if (request.domain(fallback.descriptor)) return plan;
  mismatch.reset();
  return fallback;
}

// Where a case of ours stands in the plan.
struct Position {
  std::size_t of_case;
  std::size_t of_call;
};

// Puts a twin directly after some of these cases, which stand in ascending order: a candidate that
// keeps only its last result must be seen as well.
void AddTwins(const slots::Contract& contract, std::vector<Position> ours, Philox& random,
              RowPlan& row) {
  while (ours.size() > kTwins) {
    ours.erase(ours.begin() + random.NextInt(0, std::ssize(ours) - 1));
  }
  for (const Position& position : std::views::reverse(ours)) {
    std::optional<slots::CallPlan> twin =
        ChangedTwin(row.calls[position.of_call], contract, random);
    if (!twin) continue;
    const auto after = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index) + 1; };
    row.calls.insert(row.calls.begin() + after(position.of_call), std::move(*twin));
    row.cases.insert(row.cases.begin() + after(position.of_case),
                     PlannedCase{.verdict = {}, .runs = true});
  }
}

Result<RowPlan> PlanRow(const RowRequest& request, const Options& options) {
  std::vector<slots::Case> originals = request.slot->PublishedCases();
  std::vector<slots::Case> jittered = slots::JitterCounts(originals, options.seed);
  if (options.cases == CaseList::kAll) {
    const std::vector<slots::Case> ours = request.slot->OurCases();
    originals.insert(originals.end(), ours.begin(), ours.end());
    jittered.insert(jittered.end(), ours.begin(), ours.end());
  }
  RowPlan row;
  Philox random(options.seed, kTwinStream);
  for (const tensor::DType dtype : request.dtypes) {
    std::vector<Position> ours;
    for (std::size_t i = 0; i < jittered.size(); ++i) {
      std::optional<std::string> mismatch;
      ASSIGN_OR_RETURN(slots::CallPlan plan, PlanInDomain(request, jittered[i], originals[i], dtype,
                                                          options.seed + i, options, mismatch));
      PlannedCase planned{.verdict = {.origin = plan.origin, .dtype = dtype, .seed = plan.seed},
                          .runs = !mismatch};
      if (mismatch) {
        planned.verdict.applicable = false;
        planned.verdict.mismatch = *mismatch;
        planned.verdict.status = RunStatus::kNotApplicable;
      } else {
        if (plan.origin.kind == slots::CaseKind::kOurs && CaseBytes(plan) <= kLargestTwinBytes) {
          ours.push_back({.of_case = row.cases.size(), .of_call = row.calls.size()});
        }
        row.calls.push_back(std::move(plan));
      }
      row.cases.push_back(std::move(planned));
    }
    AddTwins(request.slot->contract(), std::move(ours), random, row);
  }
  return row;
}

std::size_t AheadBudget(std::span<const slots::CallPlan> calls) {
  std::size_t largest = 0;
  for (const slots::CallPlan& call : calls) largest = std::max(largest, CaseBytes(call));
  return static_cast<std::size_t>(static_cast<double>(largest) * kAheadFactor);
}

Status CheckPrepare(const RowRequest& request) {
  const slots::Contract& contract = request.slot->contract();
  const bool named = !request.prepare.empty();
  if (named == contract.has_prepare()) return {};
  return Fail(
      "slot.prepare",
      named ? fmt::format("`{}` has no prepare, the row names `{}`", contract.id, request.prepare)
            : fmt::format("`{}` needs a prepare and the row names none", contract.id),
      {.key_path = "prepare"});
}

// Fills the row's status from its cases, of which `not_run` are missing, and adds what is missing
// for a PASS.
void Conclude(RowVerdict& row, const RowRequest& request, std::size_t not_run) {
  std::vector<RunStatus> parts(not_run, RunStatus::kFail);
  for (const CaseVerdict& result : row.cases) parts.push_back(result.status);
  row.status = CombineStatus(parts);
  const bool needs_graph = request.slot->contract().kind == slots::Kind::kOp;
  row.graph = needs_graph ? GraphState::kNotVerified : GraphState::kNotRequired;
  if (row.status == RunStatus::kPass && needs_graph) row.status = RunStatus::kNumericalPass;
  if (row.status == RunStatus::kNotApplicable) {
    row.errors.push_back(Fail("verify.nothing_ran", "no case lies in the row's capability domain",
                              {}, row.cases.empty() ? "" : row.cases.front().mismatch)
                             .error());
  }
}

// Loads the candidate and runs the calls in order until the worker ends. An error ends the row: it
// says nothing about a single case.
Result<std::vector<CaseVerdict>> RunCalls(const RowRequest& request,
                                          std::span<const slots::CallPlan> calls,
                                          worker::Worker& worker, const Options& options,
                                          Secrets& secrets) {
  PrepareAhead ahead(*request.slot, calls, AheadBudget(calls), secrets);
  worker::Outcome loaded =
      worker.Load(request.source, request.entry, request.prepare, options.load_limit);
  if (!loaded.done()) return Fail(std::move(*loaded.error));
  // A thread that was there before the first call would be in no census of a call.
  if (loaded.threads_after > loaded.threads_before) {
    return Fail("cand.thread_leak",
                fmt::format("importing the source left {} threads behind",
                            loaded.threads_after - loaded.threads_before),
                {.file = request.source}, "start threads in the entry and join them there");
  }
  Session session(*request.slot, worker, options, secrets);
  std::vector<CaseVerdict> ran;
  while (ran.size() < calls.size() && session.alive()) {
    if (options.progress) {
      options.progress(fmt::format("{}: case {} of {}", request.slot->contract().id, ran.size() + 1,
                                   calls.size()));
    }
    ASSIGN_OR_RETURN(PreparedCase prepared, ahead.Take());
    ran.push_back(session.RunCase(std::move(prepared)));
  }
  session.Finish(ran);
  return ran;
}

// The verdicts of the cases that ran, and of those outside the domain, in the order of the plan;
// cases that were not run are left out.
std::vector<CaseVerdict> InOrder(std::vector<PlannedCase> planned, std::vector<CaseVerdict> ran) {
  std::vector<CaseVerdict> cases;
  auto next = ran.begin();
  for (PlannedCase& one : planned) {
    if (!one.runs) {
      cases.push_back(std::move(one.verdict));
    } else if (next != ran.end()) {
      cases.push_back(std::move(*next++));
    }
  }
  return cases;
}

}  // namespace

RowVerdict RunRow(const RowRequest& request, worker::Worker& worker, const Options& options,
                  Secrets& secrets) {
  RowVerdict row{.slot = std::string(request.slot->contract().id),
                 .variant = request.variant,
                 .entry = request.entry};
  const auto refuse = [&](Error error) {
    row.status = StatusOf(error) == ExitStatus::kRefused ? RunStatus::kFail : RunStatus::kError;
    row.errors.push_back(std::move(error));
    return std::move(row);
  };
  if (Status prepare = CheckPrepare(request); !prepare) return refuse(std::move(prepare.error()));
  Result<RowPlan> plan = PlanRow(request, options);
  if (!plan) return refuse(std::move(plan.error()));

  std::vector<CaseVerdict> ran;
  if (!plan->calls.empty()) {
    Result<std::vector<CaseVerdict>> results =
        RunCalls(request, plan->calls, worker, options, secrets);
    if (!results) return refuse(std::move(results.error()));
    ran = std::move(*results);
  }
  const std::size_t not_run = plan->calls.size() - ran.size();
  if (not_run > 0) {
    row.errors.push_back(
        Fail("verify.cases_not_run",
             fmt::format("{} of {} cases were not run, because the worker had ended", not_run,
                         plan->calls.size()))
            .error());
  }
  row.cases = InOrder(std::move(plan->cases), std::move(ran));
  Conclude(row, request, not_run);
  return row;
}

}  // namespace cacheon::verify
