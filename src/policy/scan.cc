// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/scan.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "cacheon/core/parallel.h"
#include "src/policy/cuda_rules.h"
#include "src/policy/python_parser.h"
#include "src/policy/python_prepass.h"
#include "src/policy/python_scan.h"
#include "src/policy/scan_findings.h"
#include "src/policy/scan_patch.h"
#include "src/policy/scan_source.h"
#include "src/policy/scan_text.h"
#include "src/policy/scan_tree.h"

namespace cacheon::policy {
namespace {

constexpr std::int64_t kFilesPerParser =
    8;  // below this a second interpreter costs more than it saves

// One file to read as code, and what became of it.
struct Work {
  const ScanBundle* bundle = nullptr;
  const ScanEntry* entry = nullptr;
  std::size_t bundle_index = 0;
  FileLanguage language = FileLanguage::kNone;
  std::vector<Error> findings = {};
  ScanFileFacts facts = {};
  std::optional<ParsedPython> python = {};
  Status status = {};
};

std::vector<Work> CollectWork(std::span<const ScanBundle> bundles) {
  std::vector<Work> work;
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    for (const ScanEntry& entry : bundles[b].entries) {
      if (entry.kind != bundle::EntryKind::kFile || IsSkippedPath(entry.path)) continue;
      const FileLanguage language = LanguageOf(entry.path);
      if (language == FileLanguage::kNone) continue;
      work.push_back(
          {.bundle = &bundles[b], .entry = &entry, .bundle_index = b, .language = language});
    }
  }
  return work;
}

bool FindingLess(const Error& a, const Error& b) {
  const auto key = [](const Error& error) {
    return std::tie(error.where.file, error.where.line, error.where.column, error.code,
                    error.symbol);
  };
  return key(a) < key(b);
}

}  // namespace

bool ScanReport::refused() const {
  return std::ranges::any_of(
      findings, [](const Error& finding) { return finding.severity == Severity::kError; });
}

struct Scanner::State {
  ScanOptions options;
  std::mutex mutex;
  std::vector<PythonParser> idle;

  PythonParser Borrow() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return PythonParser(options.interpreter);
    PythonParser parser = std::move(idle.back());
    idle.pop_back();
    return parser;
  }

  void Return(PythonParser parser) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(parser));
  }

  void ReadFile(Work& work, PythonParser& parser) const;
  Status ReadFiles(std::vector<Work>& work);
};

// Reads one file; Python rules wait until all files of the bundle are parsed.
void Scanner::State::ReadFile(Work& work, PythonParser& parser) const {
  if (work.language == FileLanguage::kPython) {
    auto parsed = ParsePython(*work.entry, options.mode, parser);
    if (parsed) {
      work.python = std::move(*parsed);
    } else {
      work.status = Fail(std::move(parsed).error());
    }
    return;
  }
  const SourceText source(work.entry->path, work.entry->content);
  Findings findings(options.mode, work.entry->path, &source);
  const bool readable = CheckEncoding(source, "tree.encoding", findings);
  if (readable && work.language == FileLanguage::kCuda)
    work.facts = CheckCudaSource(source, *work.bundle, findings);
  work.findings = findings.Take();
}

Status Scanner::State::ReadFiles(std::vector<Work>& work) {
  const auto python = std::ranges::count(work, FileLanguage::kPython, &Work::language);
  const int cores = options.threads > 0 ? options.threads : DefaultThreadCount();
  const auto wanted = std::max<std::int64_t>(1, (python + kFilesPerParser - 1) / kFilesPerParser);
  const int threads = static_cast<int>(std::min<std::int64_t>(cores, wanted));
  std::atomic<std::size_t> next = 0;
  ParallelFor(
      threads, 1,
      [&](std::int64_t, std::int64_t) {
        PythonParser parser = Borrow();
        for (std::size_t i = next.fetch_add(1); i < work.size(); i = next.fetch_add(1))
          ReadFile(work[i], parser);
        Return(std::move(parser));
      },
      threads);
  for (const Work& item : work) RETURN_IF_ERROR(item.status);
  return {};
}

Scanner::Scanner(ScanOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
Scanner::~Scanner() = default;
Scanner::Scanner(Scanner&&) noexcept = default;
Scanner& Scanner::operator=(Scanner&&) noexcept = default;

Result<std::vector<ScanReport>> Scanner::Scan(std::span<const ScanBundle> bundles) {
  std::vector<Work> work = CollectWork(bundles);
  RETURN_IF_ERROR(state_->ReadFiles(work));
  std::vector<ScanReport> reports(bundles.size());
  const bundle::Mode mode = state_->options.mode;
  ParallelFor(
      static_cast<std::int64_t>(bundles.size()), 1,
      [&](std::int64_t begin, std::int64_t) {
        const auto b = static_cast<std::size_t>(begin);
        ScanReport& report = reports[b];
        report.findings = CheckTree(bundles[b], mode);
        std::ranges::move(CheckPatches(bundles[b], mode, state_->options.dependency),
                          std::back_inserter(report.findings));
        std::vector<ParsedPython> python;
        const auto mine = std::ranges::equal_range(work, b, {}, &Work::bundle_index);
        for (Work& item : mine) {
          std::ranges::move(item.findings, std::back_inserter(report.findings));
          if (item.language == FileLanguage::kCuda) report.files.push_back(std::move(item.facts));
          if (item.python) python.push_back(std::move(*item.python));
        }
        CheckPythonBundle(bundles[b], mode, std::move(python), report);
        std::ranges::stable_sort(report.findings, FindingLess);
        std::ranges::sort(report.files, {}, &ScanFileFacts::path);
      },
      state_->options.threads);
  return reports;
}

Result<ScanReport> Scanner::Scan(const ScanBundle& bundle) {
  ASSIGN_OR_RETURN(std::vector<ScanReport> reports, Scan(std::span(&bundle, 1)));
  return std::move(reports.front());
}

}  // namespace cacheon::policy
