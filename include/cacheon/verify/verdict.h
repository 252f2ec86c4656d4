// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verdict: one document per run, from which every view is made. Merit, evidence and
// infrastructure stay separate: what could not be observed is kError, never kFail and never a pass.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "cacheon/tensor/compare.h"

namespace cacheon::verify {

inline constexpr std::string_view kVerdictSchema = "cacheon.verdict.v1";

enum class RunStatus : std::uint8_t {
  kPass,           // right, and all evidence that the row needs is there
  kNumericalPass,  // right, but graph evidence is required and this device cannot give it
  kFail,           // the candidate broke a rule or computed something else
  kNotApplicable,  // nothing ran: the domain excludes this context, or the slot is unknown
  kError,          // the machine or cacheon failed; says nothing about the candidate
};

std::string_view StatusName(RunStatus status);  // "PASS", "NUMERICAL_PASS", "FAIL", "N/A", "ERROR"
std::optional<RunStatus> ParseStatus(std::string_view name);

// The checks of one call, in the order in which they are made.
enum class Check : std::uint8_t {
  kAnswered,     // the worker lives and answered in time
  kBindings,     // the storage is as granted
  kGuards,       // slack and stride gaps hold their secret pattern
  kInputs,       // every input byte is as it was
  kCoverage,     // every output element was written, under two different poisons
  kComparison,   // the outputs agree with the reference
  kSettled,      // the outputs stay as they were when the call returned
  kRetained,     // later calls leave earlier outputs alone
  kEnvironment,  // no thread is left behind
};
inline constexpr std::size_t kCheckCount = 9;

enum class CheckState : std::uint8_t {
  kUnavailable,  // not made: not possible here, or an earlier check ended the case
  kOk,
  kFailed,
};

std::string_view CheckName(Check check);
std::string_view CheckStateName(CheckState state);

class Checks {
 public:
  CheckState operator[](Check check) const { return states_[static_cast<std::size_t>(check)]; }
  // A check that failed once stays failed.
  void Set(Check check, bool ok);

 private:
  std::array<CheckState, kCheckCount> states_{};
};

struct OutputVerdict {
  std::string name;
  tensor::Comparison comparison = {};
  std::int64_t unwritten = 0;  // elements that still held their poison
};

struct CaseTiming {
  std::chrono::nanoseconds prepare{};
  std::chrono::nanoseconds call{};
  std::chrono::nanoseconds reference{};
};

struct CaseVerdict {
  slots::Case origin;
  tensor::DType dtype = tensor::DType::kFloat32;
  std::uint64_t seed = 0;
  bool applicable = true;
  std::string mismatch = {};  // why it is not applicable: field, reason, expected, actual
  RunStatus status = RunStatus::kError;
  std::vector<OutputVerdict> outputs = {};
  Checks checks = {};
  std::int64_t graph_replays = 0;
  std::vector<Error> errors = {};
  CaseTiming timing = {};
};

enum class GraphState : std::uint8_t { kVerified, kNotVerified, kNotRequired };
std::string_view GraphStateName(GraphState state);

struct RowVerdict {
  std::string slot;
  std::string variant;
  std::string entry;
  std::string lane = "python";
  RunStatus status = RunStatus::kError;
  GraphState graph = GraphState::kNotRequired;
  std::vector<CaseVerdict> cases = {};
  std::vector<Error> errors = {};

  std::int64_t applicable_count() const;
};

// Where it ran, as the document's `environment`.
struct Environment {
  std::string device = "cpu";
  std::string driver;       // empty: none
  std::string interpreter;  // path and version
  std::string torch;        // empty: not known
  std::string isolation_level;
  Json isolation_layers = Json::Object{};
};

struct Verdict {
  std::string bundle_path;  // as the user gave it; not part of the document
  std::string bundle_id;
  std::string abi_version;
  std::string content_hash;
  std::string target;
  std::string mode;       // "strict" or "compat"
  std::string case_list;  // "published" or "all"
  std::string model;      // empty: none
  Environment environment;
  std::uint64_t seed = 0;
  std::vector<std::string> dtypes;  // empty: as the rows admit
  RunStatus status = RunStatus::kError;
  std::vector<Error> errors;  // of the bundle as a whole; warnings too
  std::vector<RowVerdict> rows;
};

// The document, with `digest` = SHA-256 of its bytes without that field.
Json VerdictToJson(const Verdict& verdict);

// Checks the digest of a document. Codes: verdict.schema, verdict.digest.
Status CheckVerdictDocument(const Json& document);

// PASS and NUMERICAL_PASS 0, FAIL and N/A 1; ERROR 3 or 4 by its errors, or 2 when nothing but the
// command line is at fault.
ExitStatus ExitStatusOf(const Verdict& verdict);

// The status of a whole from those of its parts, worst first: ERROR, FAIL, then NUMERICAL_PASS,
// PASS; N/A only when every part is.
RunStatus CombineStatus(const std::vector<RunStatus>& parts);

}  // namespace cacheon::verify
