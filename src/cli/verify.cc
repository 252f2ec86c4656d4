// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "cacheon/core/philox.h"
#include "cacheon/core/version.h"
#include "cacheon/report.h"
#include "cacheon/tensor/dtype.h"
#include "src/cli/report_files.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<std::vector<tensor::DType>> ReadDTypes(const std::vector<std::string>& names) {
  std::vector<tensor::DType> dtypes;
  for (const std::string& name : names) {
    const std::optional<tensor::DType> dtype = tensor::ParseDType(name);
    if (!dtype ||
        std::ranges::find(verify::kVerifiedDTypes, *dtype) == verify::kVerifiedDTypes.end()) {
      return Fail("usage.dtype", fmt::format("cannot verify in `{}`", name),
                  {.key_path = "--dtype"},
                  "one or more of bfloat16, float16, float32, separated by commas");
    }
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

verify::RowFilter ReadRow(std::string_view text) {
  const std::size_t colon = text.find(':');
  verify::RowFilter filter{.slot = std::string(text.substr(0, colon)), .variant = {}};
  if (colon != std::string_view::npos) filter.variant = text.substr(colon + 1);
  return filter;
}

Status CheckDevice(const std::string& device) {
  if (device == "cpu" || device.empty()) return {};
  if (device == "cuda" || device.starts_with("cuda:")) {
    return Fail("env.no_gpu", "this build of cacheon verifies on the CPU only",
                {.key_path = "--device"}, "leave --device out");
  }
  return Fail("usage.device", fmt::format("`{}` is no device", device), {.key_path = "--device"},
              "cpu, cuda or cuda:N");
}

// Repeats the choices of an earlier run: its seed, cases, mode, dtypes and model.
Status ApplyReplay(const std::string& path, verify::Options& options) {
  ASSIGN_OR_RETURN(const Json document, ReadOneVerdict(path));
  Result<verify::VerdictChoices> choices = verify::ChoicesOf(document);
  if (!choices) return Fail(std::move(choices.error()).InFile(path));
  options.seed = choices->seed;
  options.mode = choices->mode;
  options.cases = choices->cases;
  options.model = std::move(choices->model);
  options.dtypes = std::move(choices->dtypes);
  return {};
}

Result<verify::Options> ReadOptions(const Arguments& arguments) {
  verify::Options options;
  constexpr std::int64_t kLongestCallSeconds = 24 * 3600;
  RETURN_IF_ERROR(CheckDevice(arguments.Value("--device")));
  // Seeds of our own stay below 2^48, so that they are easy to type and exact in every JSON reader.
  options.seed = SystemEntropy() >> 16U;
  if (arguments.Has("--replay")) RETURN_IF_ERROR(ApplyReplay(arguments.Value("--replay"), options));
  ASSIGN_OR_RETURN(const std::optional<std::int64_t> seed,
                   arguments.Integer("--seed", 0, INT64_MAX));
  if (seed) options.seed = static_cast<std::uint64_t>(*seed);
  ASSIGN_OR_RETURN(const std::optional<std::int64_t> limit,
                   arguments.Integer("--timeout", 1, kLongestCallSeconds));
  if (limit) options.call_limit = std::chrono::seconds(*limit);
  if (arguments.Has("--dtype")) {
    ASSIGN_OR_RETURN(options.dtypes, ReadDTypes(Split(arguments.Value("--dtype"), ',')));
  }
  for (const std::string& row : arguments.Values("--rows")) options.rows.push_back(ReadRow(row));
  if (arguments.Has("--mode")) {
    options.mode =
        arguments.Value("--mode") == "compat" ? bundle::Mode::kCompat : bundle::Mode::kStrict;
  }
  if (arguments.Has("--cases")) {
    options.cases = arguments.Value("--cases") == "published" ? verify::CaseList::kPublished
                                                              : verify::CaseList::kAll;
  }
  if (arguments.Has("--model")) options.model = arguments.Value("--model");
  options.python = arguments.Value("--python");
  const char* isolation = std::getenv("CACHEON_ISOLATION");
  const std::string level = arguments.Has("--isolation") ? arguments.Value("--isolation")
                            : isolation != nullptr       ? isolation
                                                         : "best";
  options.require_full_isolation = level == "full";
  options.warnings_refuse = arguments.Has("--strict");
  return options;
}

bool IsTerminal(int fd) {
  return isatty(fd) == 1 && std::getenv("NO_COLOR") == nullptr && std::getenv("CI") == nullptr;
}

// Rewrites one line of the terminal; an empty text clears it.
void ShowProgress(std::string_view text) { fmt::print(stderr, "\r\x1b[K{}", text); }

// The documents in the forms that were asked for beside the text.
Status WriteViews(const Arguments& arguments, const Json::Array& documents) {
  if (arguments.Has("--json")) {
    // One bundle is one verdict document; several are a list of them.
    const Json& output = documents.size() == 1 ? documents.front() : Json(documents);
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", DocumentJson(output)));
  }
  RETURN_IF_ERROR(WriteReports(arguments, documents));
  if (!arguments.Has("--sarif")) return {};
  std::vector<Error> errors;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    std::ranges::move(report::ErrorsOf(documents[i], arguments.Positionals(0)[i]),
                      std::back_inserter(errors));
  }
  return WriteDocument(arguments, "--sarif", DocumentJson(report::SarifLog(errors, Version())));
}

Result<ExitStatus> Run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(verify::Options options, ReadOptions(arguments));
  const bool shows_progress = IsTerminal(STDERR_FILENO);
  if (shows_progress) options.progress = ShowProgress;
  const std::vector<std::string>& bundles = arguments.Positionals(0);
  ExitStatus status = ExitStatus::kAccepted;
  Json::Array documents;
  for (const std::string& bundle : bundles) {
    const verify::Verdict verdict = verify::Verify(bundle, options);
    if (shows_progress) ShowProgress("");
    status = Combine(status, verify::ExitStatusOf(verdict));
    documents.push_back(verify::VerdictToJson(verdict));
    if (WritesToStdout(arguments)) continue;
    if (bundles.size() > 1) RETURN_IF_ERROR(Print(fmt::format("{}:\n", bundle)));
    RETURN_IF_ERROR(
        Print(report::VerdictText(documents.back(), {.every_case = arguments.Has("--verbose"),
                                                     .colour = IsTerminal(STDOUT_FILENO)})));
  }
  RETURN_IF_ERROR(WriteViews(arguments, documents));
  return status;
}

}  // namespace

const Verb kVerify = {
    .name = "verify",
    .summary = "runs the verification procedure; one verdict per bundle",
    .positionals = {{"BUNDLE", "the folder of a bundle", 1, -1}},
    .flags =
        {{"--device", FlagKind::kValue, "DEVICE", "cpu, cuda or cuda:N"},
         {"--dtype", FlagKind::kValue, "T[,T]",
          "bfloat16, float16, float32; default: what a row admits"},
         {"--model", FlagKind::kValue, "M", "a model profile"},
         {"--seed", FlagKind::kValue, "S",
          "repeats a run's cases; default: secret, printed afterwards"},
         {"--python", FlagKind::kValue, "PATH", "the interpreter of Python candidates"},
         {"--timeout", FlagKind::kValue, "S", "seconds that a call may take (20)"},
         {"--isolation",
          FlagKind::kValue,
          "LEVEL",
          "full: a missing layer is an error",
          {"full", "best"}},
         {"--rows", FlagKind::kList, "SLOT[:VARIANT]", "only these rows"},
         {"--mode", FlagKind::kValue, "MODE", "strict or compat", {"strict", "compat"}},
         {"--cases", FlagKind::kValue, "LIST", "published, or all: ours too", {"published", "all"}},
         {"--strict", FlagKind::kSwitch, {}, "warnings refuse"},
         {"--replay", FlagKind::kValue, "VERDICT", "the seed, cases and dtypes of this verdict"},
         {"--verbose", FlagKind::kSwitch, {}, "every case, also those that passed", {}, "-v"},
         kJsonFlag,
         kJUnitFlag,
         kHtmlFlag,
         {"--sarif", FlagKind::kValue, "FILE", "the errors as a SARIF log; - is stdout"}},
    .run = Run};

}  // namespace cacheon::cli
