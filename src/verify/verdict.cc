// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify/verdict.h"

#include <algorithm>

namespace cacheon::verify {

std::string_view StatusName(RunStatus status) {
  switch (status) {
    case RunStatus::kPass:
      return "PASS";
    case RunStatus::kNumericalPass:
      return "NUMERICAL_PASS";
    case RunStatus::kFail:
      return "FAIL";
    case RunStatus::kNotApplicable:
      return "N/A";
    case RunStatus::kError:
      return "ERROR";
  }
  return "ERROR";
}

std::optional<RunStatus> ParseStatus(std::string_view name) {
  for (const RunStatus status : {RunStatus::kPass, RunStatus::kNumericalPass, RunStatus::kFail,
                                 RunStatus::kNotApplicable, RunStatus::kError}) {
    if (StatusName(status) == name) return status;
  }
  return std::nullopt;
}

std::string_view CheckName(Check check) {
  switch (check) {
    case Check::kAnswered:
      return "answered";
    case Check::kBindings:
      return "bindings";
    case Check::kGuards:
      return "guards";
    case Check::kInputs:
      return "inputs";
    case Check::kCoverage:
      return "coverage";
    case Check::kComparison:
      return "comparison";
    case Check::kSettled:
      return "settled";
    case Check::kRetained:
      return "retained";
    case Check::kEnvironment:
      return "environment";
  }
  return "";
}

std::string_view CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kUnavailable:
      return "unavailable";
    case CheckState::kOk:
      return "ok";
    case CheckState::kFailed:
      return "failed";
  }
  return "";
}

std::string_view GraphStateName(GraphState state) {
  switch (state) {
    case GraphState::kVerified:
      return "verified";
    case GraphState::kNotVerified:
      return "not-verified";
    case GraphState::kNotRequired:
      return "not-required";
  }
  return "";
}

void Checks::Set(Check check, bool ok) {
  CheckState& state = states_[static_cast<std::size_t>(check)];
  if (state != CheckState::kFailed) state = ok ? CheckState::kOk : CheckState::kFailed;
}

std::int64_t RowVerdict::applicable_count() const {
  return std::ranges::count_if(cases, &CaseVerdict::applicable);
}

RunStatus CombineStatus(const std::vector<RunStatus>& parts) {
  for (const RunStatus worst :
       {RunStatus::kError, RunStatus::kFail, RunStatus::kNumericalPass, RunStatus::kPass}) {
    if (std::ranges::find(parts, worst) != parts.end()) return worst;
  }
  return RunStatus::kNotApplicable;
}

ExitStatus ExitStatusOf(const Verdict& verdict) {
  switch (verdict.status) {
    case RunStatus::kPass:
    case RunStatus::kNumericalPass:
      return ExitStatus::kAccepted;
    case RunStatus::kFail:
    case RunStatus::kNotApplicable:
      return ExitStatus::kRefused;
    case RunStatus::kError:
      break;
  }
  // The highest of what its errors say; a candidate's are no reason for ERROR.
  ExitStatus status = ExitStatus::kAccepted;
  const auto add = [&](const std::vector<Error>& errors) {
    for (const Error& error : errors) {
      const ExitStatus own = StatusOf(error);
      if (own != ExitStatus::kRefused) status = Combine(status, own);
    }
  };
  add(verdict.errors);
  for (const RowVerdict& row : verdict.rows) {
    add(row.errors);
    for (const CaseVerdict& result : row.cases) add(result.errors);
  }
  return status == ExitStatus::kAccepted ? ExitStatus::kEnvironment : status;
}

}  // namespace cacheon::verify
