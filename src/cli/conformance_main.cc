// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// cacheon-conformance DIR [--json[=FILE]] [--list]: runs the golden vectors below DIR.

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

struct Counts {
  int agree = 0;
  int differ = 0;
  int unsupported = 0;
  int codes_agree = 0;
  int codes_differ = 0;

  void Add(const Counts& other) {
    agree += other.agree;
    differ += other.differ;
    unsupported += other.unsupported;
    codes_agree += other.codes_agree;
    codes_differ += other.codes_differ;
  }
};

Counts Count(const FileResult& file) {
  Counts counts;
  for (const CaseResult& result : file.cases) {
    switch (result.agreement) {
      case Agreement::kAgree:
        ++counts.agree;
        break;
      case Agreement::kDiffer:
        ++counts.differ;
        break;
      case Agreement::kUnsupported:
        ++counts.unsupported;
        break;
    }
    if (result.expected_code.empty()) continue;
    ++(CodesAgree(result.expected_code, result.got_code) ? counts.codes_agree
                                                         : counts.codes_differ);
  }
  if (!file.problem.empty()) ++counts.unsupported;
  return counts;
}

std::string CountsText(const Counts& counts) {
  std::string text = fmt::format("{} agree, {} differ, {} not supported", counts.agree,
                                 counts.differ, counts.unsupported);
  if (counts.codes_agree + counts.codes_differ > 0) {
    text += fmt::format("; codes: {} agree, {} differ", counts.codes_agree, counts.codes_differ);
  }
  return text;
}

std::string FileText(const FileResult& file) {
  std::string text = fmt::format("{}: {}\n", file.path, CountsText(Count(file)));
  if (!file.problem.empty()) text += fmt::format("  not supported: {}\n", file.problem);
  for (const CaseResult& result : file.cases) {
    if (result.agreement == Agreement::kDiffer) {
      text += fmt::format("  differs: {}\n    expected {}\n    got      {}\n", result.name,
                          result.expected, result.got);
    } else if (result.agreement == Agreement::kUnsupported) {
      text += fmt::format("  not supported: {}: {}\n", result.name, result.got);
    } else if (!result.expected_code.empty() &&
               !CodesAgree(result.expected_code, result.got_code)) {
      text += fmt::format("  code: {}: expected {}, got {}\n", result.name, result.expected_code,
                          result.got_code);
    }
  }
  return text;
}

Json CountsJson(const Counts& counts) {
  return Json::Object{{"agree", counts.agree},
                      {"differ", counts.differ},
                      {"not_supported", counts.unsupported},
                      {"codes_agree", counts.codes_agree},
                      {"codes_differ", counts.codes_differ}};
}

Json ResultsJson(const std::vector<FileResult>& files, const Counts& total) {
  Json list = Json::Array{};
  for (const FileResult& file : files) {
    Json differing = Json::Array{};
    for (const CaseResult& result : file.cases) {
      if (result.agreement == Agreement::kAgree) continue;
      differing.Append(Json::Object{{"name", result.name},
                                    {"supported", result.agreement == Agreement::kDiffer},
                                    {"expected", result.expected},
                                    {"got", result.got}});
    }
    list.Append(Json::Object{{"file", file.path},
                             {"counts", CountsJson(Count(file))},
                             {"problem", file.problem.empty() ? Json() : Json(file.problem)},
                             {"cases", std::move(differing)}});
  }
  return Json::Object{{"schema", "cacheon.conformance.v1"},
                      {"files", std::move(list)},
                      {"total", CountsJson(total)}};
}

int Usage() {
  fmt::print(stderr, "usage: cacheon-conformance DIR [--json[=FILE]] | --list\n");
  return static_cast<int>(ExitStatus::kUsage);
}

int Emit(std::string_view path, const std::string& text) {
  const Status written =
      path.empty() ? WriteAll(1, text) : WriteFileAtomically(std::string(path), text);
  if (written) return 0;
  fmt::print(stderr, "{}\n", FormatError(written.error()));
  return static_cast<int>(StatusOf(written.error()));
}

int ListKinds() {
  std::string text;
  for (const FileKind& kind : FileKinds())
    text += fmt::format("{:40} {}\n", kind.path, kind.summary);
  return Emit("", text);
}

int Run(std::string_view directory, bool json, std::string_view json_path) {
  const Result<std::vector<FileResult>> files = RunDirectory(std::string(directory));
  if (!files) {
    fmt::print(stderr, "{}\n", FormatError(files.error()));
    return static_cast<int>(StatusOf(files.error()));
  }
  Counts total;
  std::string text;
  for (const FileResult& file : *files) {
    total.Add(Count(file));
    text += FileText(file);
  }
  text += fmt::format("TOTAL: {}\n", CountsText(total));
  if (json) text = PrettyJson(ResultsJson(*files, total)) + "\n";
  if (const int failed = Emit(json_path, text); failed != 0) return failed;
  const bool nothing_ran = total.agree + total.differ == 0;
  const bool good = total.differ == 0 && total.unsupported == 0 && !nothing_ran;
  return static_cast<int>(good ? ExitStatus::kAccepted : ExitStatus::kRefused);
}

}  // namespace

int Main(int argc, char** argv) {
  std::string_view directory;
  std::string_view json_path;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--list") return ListKinds();
    if (word == "--json" || word.starts_with("--json=")) {
      json = true;
      json_path = word.size() > 7 ? word.substr(7) : "";
    } else if (word.starts_with("-") || !directory.empty()) {
      return Usage();
    } else {
      directory = word;
    }
  }
  return directory.empty() ? Usage() : Run(directory, json, json_path);
}

}  // namespace cacheon::conformance

int main(int argc, char** argv) { return cacheon::conformance::Main(argc, argv); }
