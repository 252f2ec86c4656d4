// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "cacheon/artifact/row_checker.h"
#include "cacheon/bundle/manifest.h"
#include "cacheon/policy/match.h"
#include "cacheon/worker/worker.h"
#include "src/verify/gate.h"
#include "src/verify/preflight.h"
#include "src/verify/row.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {
namespace {

// One run over one bundle. Each step adds to the verdict; a step that refuses ends the run.
class Run {
 public:
  Run(const std::string& directory, const Options& options) : options_(options), root_(directory) {
    verdict_.bundle_path = directory;
    verdict_.seed = options.seed;
    verdict_.mode = options.mode == bundle::Mode::kStrict ? "strict" : "compat";
    verdict_.case_list = options.cases == CaseList::kAll ? "all" : "published";
    verdict_.model = options.model;
    verdict_.environment.device = options.device;
    for (const tensor::DType dtype : options.dtypes) {
      verdict_.dtypes.emplace_back(tensor::Name(dtype));
    }
  }

  Verdict Finish() && {
    Execute();
    Conclude();
    return std::move(verdict_);
  }

 private:
  void Execute();
  bool ReadBundle();
  // Scans and resolves the bundle; false when it is refused.
  bool PassGate();
  // Starts the process for a row, so that its interpreter comes up while the controller works.
  std::unique_ptr<worker::Worker> StartWorker(RowVerdict& row);
  RowVerdict RunOne(const AdmittedRow& admitted, std::unique_ptr<worker::Worker> worker,
                    RowVerdict started);
  void Conclude();

  const Options& options_;
  std::string root_;
  Secrets secrets_;
  Verdict verdict_;
  bundle::Manifest manifest_;
  std::optional<worker::Interpreter> interpreter_;
};

RowVerdict EmptyRow(const AdmittedRow& admitted) {
  return {.slot = admitted.row->slot,
          .variant = admitted.row->variant,
          .entry = admitted.row->entry,
          .lane = admitted.row->is_direct() ? "direct" : "python"};
}

bool IsRunnable(const AdmittedRow& admitted) {
  return admitted.slot != nullptr && !admitted.row->is_direct() &&
         admitted.slot->contract().kind != slots::Kind::kCollective;
}

// A row that cannot be run at all, with the reason.
RowVerdict NotRun(const AdmittedRow& admitted) {
  RowVerdict row = EmptyRow(admitted);
  row.status = RunStatus::kNotApplicable;
  const Place place{.key_path = admitted.row->key_path + ".slot"};
  if (admitted.slot == nullptr) {
    row.errors.push_back(Fail("slot.unknown",
                              fmt::format("no slot is called `{}`", admitted.row->slot), place,
                              "`cacheon slots` lists the slots")
                             .error());
  } else if (admitted.row->is_direct()) {
    row.errors.push_back(Fail("verify.needs_gpu", "a direct artifact needs a GPU", place,
                              "run `cacheon verify --device cuda` on a machine with an NVIDIA GPU")
                             .error());
  } else {
    row.errors.push_back(
        Fail("verify.needs_ranks",
             "a collective slot needs several ranks, which this version cannot run", place)
            .error());
  }
  return row;
}

// Why no row is left to run.
Error NoRow(const Options& options) {
  if (options.rows.empty()) {
    return Fail("verify.nothing_ran", "the bundle has no op row", {.key_path = "ops"}).error();
  }
  const RowFilter& first = options.rows.front();
  return Fail("usage.unknown_row",
              fmt::format("the bundle has no row `{}{}{}`", first.slot,
                          first.variant.empty() ? "" : ":", first.variant),
              {.key_path = "--rows"}, "name a slot, or SLOT:VARIANT, of its manifest")
      .error();
}

bool Run::ReadBundle() {
  if (!std::filesystem::is_directory(root_)) {
    verdict_.errors.push_back(
        Fail("usage.no_bundle", "not a directory", {.file = root_}, "give the folder of a bundle")
            .error());
    return false;
  }
  const artifact::RowChecker artifact_rows;
  bundle::ManifestReading reading =
      bundle::ReadManifest(root_, {.mode = options_.mode, .artifact_rows = &artifact_rows});
  std::ranges::move(reading.errors, std::back_inserter(verdict_.errors));
  std::ranges::move(reading.warnings, std::back_inserter(verdict_.errors));
  if (!reading.manifest) return false;
  manifest_ = std::move(*reading.manifest);
  verdict_.bundle_id = manifest_.bundle_id;
  verdict_.abi_version = manifest_.abi_version;
  if (manifest_.competition) verdict_.target = manifest_.competition->target;
  return true;
}

std::unique_ptr<worker::Worker> Run::StartWorker(RowVerdict& row) {
  const auto start = [&]() -> Result<std::unique_ptr<worker::Worker>> {
    if (!interpreter_) {
      ASSIGN_OR_RETURN(interpreter_, worker::FindInterpreter(options_.python));
      verdict_.environment.interpreter = interpreter_->path;
    }
    std::error_code error;
    return worker::Worker::Start({.interpreter = *interpreter_,
                                  .bundle_root = std::filesystem::canonical(root_, error).string(),
                                  .require_full_isolation = options_.require_full_isolation});
  };
  Result<std::unique_ptr<worker::Worker>> worker = start();
  if (!worker) {
    row.errors.push_back(std::move(worker.error()));
    row.status = RunStatus::kError;
    return nullptr;
  }
  const worker::IsolationReport& isolation = (*worker)->isolation();
  verdict_.environment.isolation_level = isolation.level();
  verdict_.environment.isolation_layers = isolation.ToJson();
  return std::move(*worker);
}

RowVerdict Run::RunOne(const AdmittedRow& admitted, std::unique_ptr<worker::Worker> worker,
                       RowVerdict started) {
  if (!IsRunnable(admitted)) return NotRun(admitted);
  if (worker == nullptr) return started;
  const bundle::OpRow& row = *admitted.row;
  const RowRequest request{
      .slot = admitted.slot,
      .variant = row.variant,
      .source = row.source.resolved,
      .entry = row.entry,
      .prepare = row.prepare.value_or(""),
      .dtypes = DTypesToRun(admitted.eligibility, options_),
      .domain = [&](const Json::Object& fields) -> std::optional<std::string> {
        const Result<policy::CallDescriptor> call = policy::CallDescriptor::FromJson(Json(fields));
        if (!call) return call.error().message;
        const std::vector<policy::Mismatch> mismatches = policy::Match(admitted.eligibility, *call);
        if (mismatches.empty()) return std::nullopt;
        std::string text;
        for (const policy::Mismatch& mismatch : mismatches) {
          text += (text.empty() ? "" : "; ") + policy::MismatchText(mismatch);
        }
        return text;
      }};
  RowVerdict verdict = RunRow(request, *worker, options_, secrets_);
  verdict_.environment.torch = worker->torch_version();
  return verdict;
}

bool Run::PassGate() {
  GateReport gate =
      CheckGate(root_, manifest_, options_, interpreter_ ? interpreter_->path : std::string());
  verdict_.content_hash = std::move(gate.content_hash);
  if (gate.target) verdict_.target = *gate.target;
  std::ranges::move(gate.errors, std::back_inserter(verdict_.errors));
  return !gate.refused;
}

void Run::Execute() {
  if (!ReadBundle()) return;
  Preflight preflight = CheckDomains(root_, manifest_, options_);
  const bool domains_hold = preflight.errors.empty();
  if (domains_hold && preflight.rows.empty()) {
    verdict_.errors.push_back(NoRow(options_));
    return;
  }

  // The worker of the next row starts while this row runs, and that of the first one while the
  // sources are scanned: importing torch is most of the time. It loads nothing of the bundle yet.
  std::vector<AdmittedRow>& rows = preflight.rows;
  std::unique_ptr<worker::Worker> next;
  RowVerdict next_started;
  const auto start = [&](std::size_t i) {
    next.reset();
    if (i >= rows.size()) return;
    next_started = EmptyRow(rows[i]);
    if (IsRunnable(rows[i])) next = StartWorker(next_started);
  };
  if (domains_hold) start(0);
  const bool passed = PassGate();
  std::ranges::move(preflight.warnings, std::back_inserter(verdict_.errors));
  std::ranges::move(preflight.errors, std::back_inserter(verdict_.errors));
  if (!passed || !domains_hold) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::unique_ptr<worker::Worker> worker = std::move(next);
    RowVerdict started = std::move(next_started);
    start(i + 1);
    verdict_.rows.push_back(RunOne(rows[i], std::move(worker), std::move(started)));
  }
}

// The status of the whole from the rows, and from errors that belong to no row.
void Run::Conclude() {
  std::vector<RunStatus> parts;
  for (const RowVerdict& row : verdict_.rows) parts.push_back(row.status);
  verdict_.status = CombineStatus(parts);
  const auto add = [&](const Error& error) {
    const bool counts = error.severity == Severity::kError ||
                        (error.severity == Severity::kWarning && options_.warnings_refuse);
    if (!counts || verdict_.status == RunStatus::kError) return;
    const bool candidate = StatusOf(error) == ExitStatus::kRefused;
    verdict_.status = candidate ? RunStatus::kFail : RunStatus::kError;
  };
  std::ranges::for_each(verdict_.errors, add);
  if (!options_.warnings_refuse) return;
  for (const RowVerdict& row : verdict_.rows) {
    for (const CaseVerdict& result : row.cases) std::ranges::for_each(result.errors, add);
  }
}

}  // namespace

Verdict Verify(const std::string& directory, const Options& options) {
  return Run(directory, options).Finish();
}

}  // namespace cacheon::verify
