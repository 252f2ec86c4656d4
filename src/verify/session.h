// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs prepared cases against one worker and judges every call. The order of the checks is fixed:
// answered, bindings, guards, inputs, coverage, comparison, settled, retained.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/slots/slot.h"
#include "cacheon/verify/options.h"
#include "cacheon/verify/verdict.h"
#include "cacheon/worker/worker.h"
#include "src/verify/call_checks.h"
#include "src/verify/case_memory.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {

class Session {
 public:
  Session(const slots::Slot& slot, worker::Worker& worker, const Options& options,
          Secrets& secrets);

  // Calls and judges one case. After a case in which the worker died, be it between two commands,
  // `alive()` is false, the case has not passed, and no other case may be run.
  CaseVerdict RunCase(PreparedCase prepared);

  bool alive() const { return alive_; }

  // Ends the row: waits a moment for writers that come late, looks once more at every output that
  // is still kept, and ends the worker. `cases` are the verdicts of RunCase, in order; what it
  // finds goes to the case that the output belongs to, and the worker's end to the last one.
  void Finish(std::span<CaseVerdict> cases);

 private:
  struct Call {
    std::vector<CallOutput> outputs;
    std::vector<worker::CallArgument> arguments;
  };
  // An output of an earlier call, which must stay as it was.
  struct Kept {
    std::size_t case_number;
    std::size_t call_number;
    CallOutput output;
  };

  bool PrepareWeights(const PreparedCase& prepared, CaseVerdict& verdict);
  Result<Call> MakeCall(const PreparedCase& prepared, PatternKind kind);
  // One call with outputs full of `kind`; false when the case is decided.
  bool RunCall(const PreparedCase& prepared, PatternKind kind, CaseVerdict& verdict);
  // Takes over what the worker's answer says; false when the case is decided.
  bool Answered(const worker::Outcome& outcome, std::string_view what, CaseVerdict& verdict);
  // How many threads a call has left behind, those that are just ending not counted.
  int ThreadsThatStay(const worker::Outcome& outcome) const;
  void CheckKept(CaseVerdict& current);
  void Keep(Call call);
  void Forget(CaseVerdict& verdict);
  // Takes memory back from the worker, if it still lives; a failure is charged to the case.
  void Revoke(const worker::TensorMemory& memory, CaseVerdict& verdict);

  const slots::Slot& slot_;
  worker::Worker& worker_;
  const Options& options_;
  Secrets& secrets_;
  std::size_t case_number_ = 0;
  std::size_t call_number_ = 0;
  std::size_t second_poison_bytes_left_;
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  // The fewest threads seen before a call: one that was just ending must not hide one that stays.
  int idle_threads_ = std::numeric_limits<int>::max();
  bool alive_ = true;
};

}  // namespace cacheon::verify
