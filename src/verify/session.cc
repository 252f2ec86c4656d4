// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <variant>

namespace cacheon::verify {
namespace {

using slots::PlannedTensor;

// Second poisons together move at most this many bytes per row, so that large cases run once.
constexpr std::size_t kSecondPoisonBudget = std::size_t{1} << 30U;
constexpr std::size_t kSecondPoisonLargestCase = std::size_t{16} << 20U;

// Outputs of earlier calls that stay mapped to see whether later calls touch them: each, and
// together.
constexpr std::size_t kKeptBytesEach = std::size_t{1} << 20U;
constexpr std::size_t kKeptBytes = std::size_t{64} << 20U;

// A thread that was joined may need this long until the kernel has ended it.
constexpr std::chrono::milliseconds kThreadEndLimit{100};
constexpr std::chrono::milliseconds kThreadEndPoll{1};

// Before the last look at the end of a row.
constexpr std::chrono::milliseconds kLastLookInterval{20};

std::size_t TensorCount(const std::vector<slots::PlannedArgument>& arguments) {
  return static_cast<std::size_t>(std::ranges::count_if(arguments, [](const auto& argument) {
    return std::holds_alternative<PlannedTensor>(argument);
  }));
}

}  // namespace

Session::Session(const slots::Slot& slot, worker::Worker& worker, const Options& options,
                 Secrets& secrets)
    : slot_(slot),
      worker_(worker),
      options_(options),
      secrets_(secrets),
      second_poison_bytes_left_(kSecondPoisonBudget) {}

CaseVerdict Session::RunCase(PreparedCase prepared) {
  CaseVerdict verdict{.origin = prepared.plan.origin,
                      .dtype = prepared.plan.call_dtype,
                      .seed = prepared.plan.seed,
                      .status = RunStatus::kPass};
  verdict.timing.reference = prepared.reference_time;
  const std::size_t bytes = CaseBytes(prepared.plan);
  const bool twice = options_.cases == CaseList::kAll &&
                     bytes <= std::min(kSecondPoisonLargestCase, second_poison_bytes_left_);
  if (PrepareWeights(prepared, verdict) && RunCall(prepared, PatternKind::kNan, verdict) && twice) {
    second_poison_bytes_left_ -= bytes;
    RunCall(prepared, PatternKind::kFinite, verdict);
  }
  if (alive_) CheckKept(verdict);
  Forget(verdict);
  for (const InputMemory& input : prepared.inputs) Revoke(input.memory, verdict);
  ++case_number_;
  return verdict;
}

bool Session::Answered(const worker::Outcome& outcome, std::string_view what,
                       CaseVerdict& verdict) {
  if (outcome.done()) {
    verdict.checks.Set(Check::kAnswered, true);
    return true;
  }
  const bool ours = outcome.ending == worker::Ending::kInfrastructure;
  Refuse(verdict, Check::kAnswered, Fail(Error(*outcome.error).While(what)),
         ours ? RunStatus::kError : RunStatus::kFail);
  alive_ = outcome.ending == worker::Ending::kRaised;
  return false;
}

bool Session::PrepareWeights(const PreparedCase& prepared, CaseVerdict& verdict) {
  if (!slot_.contract().has_prepare()) return true;
  std::vector<worker::CallArgument> arguments;
  for (std::size_t i = 0; i < TensorCount(prepared.plan.prepare_arguments); ++i) {
    arguments.emplace_back(worker::TensorArgument{&prepared.inputs[i].memory, false});
  }
  const worker::Outcome outcome = worker_.Prepare(arguments, options_.call_limit);
  verdict.timing.prepare = outcome.elapsed;
  if (!Answered(outcome, "preparing the weights", verdict)) return false;
  CheckInputs(prepared.inputs, secrets_.key(), verdict);
  return verdict.status == RunStatus::kPass;
}

Result<Session::Call> Session::MakeCall(const PreparedCase& prepared, PatternKind kind) {
  Call call;
  std::size_t input = TensorCount(prepared.plan.prepare_arguments);
  // The two poisons put the unmapped page at different ends, and the output at different addresses.
  const auto side =
      kind == PatternKind::kNan ? worker::GuardSide::kAfter : worker::GuardSide::kBefore;
  for (const slots::PlannedArgument& argument : prepared.plan.arguments) {
    if (const auto* planned = std::get_if<PlannedTensor>(&argument)) {
      if (planned->role == slots::Role::kInput) {
        call.arguments.emplace_back(
            worker::TensorArgument{&prepared.inputs[input++].memory, false});
        continue;
      }
      ASSIGN_OR_RETURN(OutputMemory output, OutputMemory::Create(*planned, kind, side, secrets_));
      auto memory = std::make_unique<OutputMemory>(std::move(output));
      call.arguments.emplace_back(worker::TensorArgument{&memory->memory(), true});
      call.outputs.push_back({.memory = std::move(memory)});
    } else if (const auto* scalar = std::get_if<slots::PlannedScalar>(&argument)) {
      std::visit([&](auto value) { call.arguments.emplace_back(value); }, scalar->value);
    } else if (std::holds_alternative<slots::PlannedPrepared>(argument)) {
      call.arguments.emplace_back(worker::PreparedArgument{});
    } else {
      return Fail("verify.needs_ranks", "a call with a process group needs several ranks");
    }
  }
  return call;
}

bool Session::RunCall(const PreparedCase& prepared, PatternKind kind, CaseVerdict& verdict) {
  Result<Call> made = MakeCall(prepared, kind);
  if (!made) {
    verdict.errors.push_back(std::move(made.error()));
    Decide(verdict, RunStatus::kError);
    return false;
  }
  Call call = std::move(*made);
  const worker::Outcome outcome = worker_.Call(call.arguments, options_.call_limit);
  const auto returned = std::chrono::steady_clock::now();
  for (CallOutput& output : call.outputs) {
    output.fingerprint = output.memory->Fingerprint(secrets_.key());
  }
  if (kind == PatternKind::kNan) verdict.timing.call = outcome.elapsed;
  ++call_number_;
  if (!Answered(outcome, "calling the entry", verdict)) {
    Keep(std::move(call));  // an entry that raised still has its grants
    return false;
  }
  // Storage cannot be replaced: the worker maps files whose size only the controller may change.
  verdict.checks.Set(Check::kBindings, true);
  if (outcome.returned_value && kind == PatternKind::kNan) {
    verdict.errors.push_back(Fail("call.return_value",
                                  "the entry returned something other than None", {},
                                  "fill the output and return nothing")
                                 .error());
  }
  if (kind == PatternKind::kNan) {
    for (const CallOutput& output : call.outputs) {
      verdict.outputs.push_back({.name = output.name()});
    }
  }
  for (CallOutput& output : call.outputs) output.seen = output.memory->Inspect();
  CheckGuards(call.outputs, verdict);
  CheckInputs(prepared.inputs, secrets_.key(), verdict);
  CheckComparison(call.outputs, prepared,
                  {.slot = slot_, .published_only = options_.mode == bundle::Mode::kCompat}, kind,
                  verdict);
  CheckCoverage(call.outputs, kind, verdict);
  // Before the outputs are looked at again, so that a thread that was waited for cannot write late.
  if (outcome.threads_before > 0) idle_threads_ = std::min(idle_threads_, outcome.threads_before);
  const int threads = ThreadsThatStay(outcome);
  CheckSettled(call.outputs, secrets_.key(), returned, verdict);
  CheckCensus(idle_threads_, threads, verdict);
  Keep(std::move(call));
  return verdict.status == RunStatus::kPass;
}

int Session::ThreadsThatStay(const worker::Outcome& outcome) const {
  const auto limit = std::chrono::steady_clock::now() + kThreadEndLimit;
  int threads = outcome.threads_after;
  while (threads > idle_threads_ && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(kThreadEndPoll);
    if (const int now = worker_.thread_count(); now > 0) threads = now;
  }
  return threads;
}

void Session::Keep(Call call) {
  for (CallOutput& output : call.outputs) {
    kept_bytes_ += output.memory->memory().bytes().size();
    kept_.push_back(
        {.case_number = case_number_, .call_number = call_number_, .output = std::move(output)});
  }
}

void Session::CheckKept(CaseVerdict& current) {
  for (Kept& kept : kept_) {
    if (kept.call_number == call_number_) continue;  // CheckSettled has looked at those
    const std::uint64_t now = kept.output.memory->Fingerprint(secrets_.key());
    if (now == kept.output.fingerprint) {
      current.checks.Set(Check::kRetained, true);
      continue;
    }
    kept.output.fingerprint = now;
    Refuse(current, Check::kRetained,
           Fail("mem.retained_write",
                fmt::format("the call changed `{}` of an earlier call (case {})",
                            kept.output.name(), kept.case_number),
                {.key_path = kept.output.name()}, "keep no tensor of one call for use in another"));
  }
}

void Session::Revoke(const worker::TensorMemory& memory, CaseVerdict& verdict) {
  if (!alive_) return;
  Answered(worker_.Revoke(memory, options_.call_limit), "taking memory back", verdict);
}

void Session::Forget(CaseVerdict& verdict) {
  // Every output is looked at once after the next case; small ones stay until the row ends.
  const auto dispensable = [&](const Kept& kept) {
    const std::size_t bytes = kept.output.memory->memory().bytes().size();
    return kept.case_number < case_number_ && (bytes > kKeptBytesEach || kept_bytes_ > kKeptBytes);
  };
  for (auto kept = kept_.begin(); alive_ && kept != kept_.end();) {
    if (!dispensable(*kept)) {
      ++kept;
      continue;
    }
    const worker::TensorMemory& memory = kept->output.memory->memory();
    kept_bytes_ -= memory.bytes().size();
    Revoke(memory, verdict);
    kept = kept_.erase(kept);
  }
}

void Session::Finish(std::span<CaseVerdict> cases) {
  if (cases.empty() || !alive_) return;
  std::this_thread::sleep_for(kLastLookInterval);
  for (const Kept& kept : kept_) {
    CaseVerdict& owner = cases[kept.case_number];
    if (kept.output.memory->Fingerprint(secrets_.key()) == kept.output.fingerprint) {
      owner.checks.Set(Check::kRetained, true);
      continue;
    }
    Refuse(owner, Check::kRetained,
           Fail("async.late_write", "the output changed long after its call had returned",
                {.key_path = kept.output.name()}, "finish all work before the entry returns"));
  }
  Answered(worker_.Stop(options_.call_limit), "ending the worker", cases.back());
}

}  // namespace cacheon::verify
