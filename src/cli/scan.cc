// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>

#include "cacheon/bundle/archive.h"
#include "cacheon/core/parallel.h"
#include "cacheon/core/version.h"
#include "cacheon/policy/scan_input.h"
#include "cacheon/report/sarif.h"
#include "src/cli/bundle_arguments.h"
#include "src/cli/error_list.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

// Bundles that are in memory at a time, per core.
constexpr std::size_t kBundlesPerCore = 8;

// What was found in one bundle. Its bytes are kept no longer than the scan needs them.
struct Scanned {
  std::string path;  // as the user gave it
  std::string bundle_id = {};
  std::string content_hash = {};
  std::vector<policy::ScanFileFacts> files = {};
  std::vector<Error> errors = {};
};

// A bundle while it is in memory.
struct Loaded {
  bundle::ManifestReading reading;
  std::optional<bundle::TreeContents> contents;
  policy::ScanBundle input;
};

bool HasManifest(const bundle::TreeContents& contents) {
  return std::ranges::find(contents.entries, bundle::kManifestFile, &bundle::TreeEntry::path) !=
         contents.entries.end();
}

// Reads the bundle and its manifest; what is wrong so far is in the errors of `scanned`. A folder
// without a manifest is scanned as loose files, and so is one whose manifest is refused.
Loaded Load(bundle::Mode mode, Scanned& scanned) {
  Loaded loaded;
  auto contents = bundle::ReadTreeContents(scanned.path);
  if (!contents) {
    scanned.errors.push_back(std::move(contents.error()));
    return loaded;
  }
  loaded.contents = std::move(*contents);
  scanned.content_hash = loaded.contents->content_hash;
  if (HasManifest(*loaded.contents)) {
    loaded.reading = ReadBundleManifest(scanned.path, mode);
    std::ranges::move(loaded.reading.errors, std::back_inserter(scanned.errors));
    std::ranges::move(loaded.reading.warnings, std::back_inserter(scanned.errors));
  }
  const bundle::Manifest* manifest = loaded.reading.manifest ? &*loaded.reading.manifest : nullptr;
  if (manifest != nullptr) scanned.bundle_id = manifest->bundle_id;
  loaded.input = policy::MakeScanBundle(scanned.path, *loaded.contents, manifest);
  return loaded;
}

// Adds what only packing and publishing would refuse later, and drops what was said twice.
void Complete(policy::ScanReport report, bundle::Mode mode, Scanned& scanned) {
  scanned.files = std::move(report.files);
  std::ranges::move(report.findings, std::back_inserter(scanned.errors));
  bundle::PackChecks checks = bundle::CheckPackable(scanned.path, mode);
  std::ranges::move(checks.errors, std::back_inserter(scanned.errors));
  std::ranges::move(checks.warnings, std::back_inserter(scanned.errors));
  scanned.errors = WithoutRepeats(std::move(scanned.errors));
}

Status ScanBatch(std::span<Scanned> batch, bundle::Mode mode, policy::Scanner& scanner) {
  std::vector<Loaded> loaded(batch.size());
  ParallelFor(static_cast<std::int64_t>(batch.size()), 1, [&](std::int64_t begin, std::int64_t) {
    const auto i = static_cast<std::size_t>(begin);
    loaded[i] = Load(mode, batch[i]);
  });
  std::vector<policy::ScanBundle> inputs;
  for (Loaded& one : loaded) inputs.push_back(std::move(one.input));
  ASSIGN_OR_RETURN(std::vector<policy::ScanReport> reports, scanner.Scan(inputs));
  ParallelFor(static_cast<std::int64_t>(batch.size()), 1, [&](std::int64_t begin, std::int64_t) {
    const auto i = static_cast<std::size_t>(begin);
    Complete(loaded[i].contents ? std::move(reports[i]) : policy::ScanReport(), mode, batch[i]);
  });
  return {};
}

Json NamesJson(const std::vector<std::string>& names) {
  return Json(Json::Array(names.begin(), names.end()));
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json ScannedJson(const Scanned& scanned) {
  Json files = Json::Array{};
  for (const policy::ScanFileFacts& file : scanned.files) {
    files.Append(Json::Object{{"path", file.path},
                              {"language", file.language},
                              {"imports", NamesJson(file.imports)},
                              {"functions", NamesJson(file.functions)},
                              {"kernels", NamesJson(file.kernels)}});
  }
  const bool accepted = StatusOfErrors(scanned.errors) == ExitStatus::kAccepted;
  return Json::Object{{"bundle", scanned.path},
                      {"bundle_id", TextOrNull(scanned.bundle_id)},
                      {"content_hash", TextOrNull(scanned.content_hash)},
                      {"status", accepted ? "accepted" : "refused"},
                      {"files", std::move(files)},
                      {"errors", ErrorsJson(scanned.errors)}};
}

std::string ScannedText(const Scanned& scanned) {
  const auto count = [&](Severity severity) {
    return std::ranges::count(scanned.errors, severity, &Error::severity);
  };
  const bool accepted = StatusOfErrors(scanned.errors) == ExitStatus::kAccepted;
  return fmt::format("{}: {} (errors {}, warnings {}, notes {})\n{}", scanned.path,
                     accepted ? "accepted" : "refused", count(Severity::kError),
                     count(Severity::kWarning), count(Severity::kNote), ErrorsText(scanned.errors));
}

// One log for all bundles. Files are named from the folder that the command runs in, which a log's
// reader takes for the root of the repository.
Json Sarif(const std::vector<Scanned>& all) {
  namespace fs = std::filesystem;
  std::vector<Error> errors;
  for (const Scanned& scanned : all) {
    std::error_code ignored;
    const fs::path folder = fs::proximate(scanned.path, ignored);
    for (Error error : scanned.errors) {
      const bool named = !error.where.file.empty() && error.where.file != scanned.path;
      const std::string file = named ? error.where.file : std::string(bundle::kManifestFile);
      error.where.file = (folder / file).lexically_normal().string();
      errors.push_back(std::move(error));
    }
  }
  return report::SarifLog(errors, Version());
}

Status Write(const Arguments& arguments, bundle::Mode mode, const std::vector<Scanned>& all) {
  if (arguments.Has("--sarif")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--sarif", PrettyJson(Sarif(all))));
  }
  if (arguments.Has("--json")) {
    Json bundles = Json::Array{};
    for (const Scanned& scanned : all) bundles.Append(ScannedJson(scanned));
    const Json document = Json::Object{{"schema", "cacheon.scan.v1"},
                                       {"mode", ModeName(mode)},
                                       {"policy_digest", policy::ScanPolicyDigest()},
                                       {"bundles", std::move(bundles)}};
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(document)));
  }
  if (arguments.Value("--json") == "-" || arguments.Value("--sarif") == "-") return {};
  std::string text;
  for (const Scanned& scanned : all) text += ScannedText(scanned);
  return Print(text);
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const bundle::Mode mode = ModeOf(arguments);
  std::vector<Scanned> all;
  for (const std::string& path : arguments.Positionals(0)) {
    RETURN_IF_ERROR(CheckFolder(path));
    all.push_back({.path = path});
  }
  policy::ScanOptions options{.mode = mode};
  if (arguments.Has("--python")) options.interpreter = arguments.Value("--python");
  policy::Scanner scanner(std::move(options));
  const std::size_t batch = kBundlesPerCore * static_cast<std::size_t>(DefaultThreadCount());
  for (std::size_t begin = 0; begin < all.size(); begin += batch) {
    const std::size_t count = std::min(batch, all.size() - begin);
    RETURN_IF_ERROR(ScanBatch(std::span(all).subspan(begin, count), mode, scanner));
  }
  RETURN_IF_ERROR(Write(arguments, mode, all));
  ExitStatus status = ExitStatus::kAccepted;
  for (const Scanned& scanned : all) status = Combine(status, StatusOfErrors(scanned.errors));
  return status;
}

}  // namespace

const Verb kScan = {
    .name = "scan",
    .summary = "reads the tree and every source of bundles against the static policy",
    .positionals = {{"BUNDLE", "the folder of a bundle", 1, -1}},
    .flags = {{"--sarif", FlagKind::kValue, "FILE", "a SARIF 2.1.0 log; - is stdout"},
              {"--python", FlagKind::kValue, "PATH",
               "the interpreter whose grammar counts: that of the runtime (/usr/bin/python3)"},
              kModeFlag,
              kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
