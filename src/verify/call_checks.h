// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The checks that are made on the memory of one call. Each sets its state in the verdict and, when
// it fails, adds one error and fails the case.

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "cacheon/slots/grading.h"
#include "cacheon/verify/verdict.h"
#include "src/verify/case_memory.h"
#include "src/verify/output_memory.h"

namespace cacheon::verify {

// How long an output must stay as the call left it. Long enough for a thread that the return of the
// call woke; threads that sleep longer are found by the census and by the last look at the row's
// end.
inline constexpr std::chrono::milliseconds kSettleInterval{2};

// An output after its call.
struct CallOutput {
  std::unique_ptr<OutputMemory> memory;
  std::uint64_t fingerprint = 0;  // taken at once after the call returned
  OutputMemory::Inspection seen = {};

  const std::string& name() const { return memory->memory().name(); }
};

// Gives a case that passed so far its status; the first one that is not a pass stays.
void Decide(CaseVerdict& verdict, RunStatus status);

// Marks `check` as failed for this reason and decides the case.
void Refuse(CaseVerdict& verdict, Check check, std::unexpected<Error> reason,
            RunStatus status = RunStatus::kFail);

void CheckGuards(std::span<const CallOutput> outputs, CaseVerdict& verdict);

void CheckInputs(std::span<const InputMemory> inputs, std::uint64_t key, CaseVerdict& verdict);

// Elements that still hold NaN poison were not written. A finite poison may equal a right value by
// chance; there CheckComparison decides.
void CheckCoverage(std::span<const CallOutput> outputs, PatternKind kind, CaseVerdict& verdict);

// What an output is judged by.
struct Grading {
  const slots::Slot& slot;
  bool published_only = false;  // compat mode: the published comparator alone
};

// Compares with the reference and records the measures of the first call. With the finite poison a
// difference that the first call did not show means that the result depends on old contents.
void CheckComparison(std::span<const CallOutput> outputs, const PreparedCase& prepared,
                     const Grading& grading, PatternKind kind, CaseVerdict& verdict);

// Waits until the settle interval since `returned` is over and looks for late writes.
void CheckSettled(std::span<const CallOutput> outputs, std::uint64_t key,
                  std::chrono::steady_clock::time_point returned, CaseVerdict& verdict);

// The entry must leave as many threads as it found.
void CheckCensus(int threads_before, int threads_after, CaseVerdict& verdict);

}  // namespace cacheon::verify
