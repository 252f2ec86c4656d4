// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// check_bundle CACHEON CORPUS EXPECTED NAME: verifies one bundle with the real command and compares
// exit status, verdict, first code and check with its lines of EXPECTED. Whatever the bundle did,
// the command may leave no process and no temporary file behind.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"
#include "tests/bundles/expectation.h"

namespace cacheon::corpus {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxVerdictBytes = std::size_t{64} << 20U;

// What an error of the whole bundle may be expected as.
constexpr std::string_view kBundleChecks = "bundle|scan";

// Where the first error stands; the words of an expectation.
struct Finding {
  std::string code{kNoCheck};
  std::string place{kNoCheck};  // kBundleChecks, kRowCheck, or every failed check of the case
};

std::string FirstCode(const Json& holder) {
  for (const Json& error : holder.Find("errors")->as_array()) {
    if (*error.Find("severity") == Json("error")) return error.Find("code")->as_string();
  }
  return "";
}

std::string FailedChecks(const Json& the_case) {
  std::string failed;
  for (const auto& [name, state] : the_case.Find("checks")->as_object()) {
    if (state == Json("failed")) failed += (failed.empty() ? "" : "|") + name;
  }
  return failed;
}

Finding FirstFinding(const Json& document) {
  const Json::Array& rows = document.Find("rows")->as_array();
  if (std::string code = FirstCode(document); !code.empty()) {
    return {.code = std::move(code), .place = std::string(rows.empty() ? kBundleChecks : "")};
  }
  for (const Json& row : rows) {
    if (std::string code = FirstCode(row); !code.empty()) {
      return {.code = std::move(code), .place = std::string(kRowCheck)};
    }
    for (const Json& one : row.Find("cases")->as_array()) {
      if (std::string code = FirstCode(one); !code.empty()) {
        return {.code = std::move(code), .place = FailedChecks(one)};
      }
    }
  }
  return {};
}

// A folder that exists as long as this.
class Scratch {
 public:
  Scratch() : path_((Parent() / "check-bundle-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;  // one owner of the folder
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

 private:
  // As it was before a run set TMPDIR to a folder of its own.
  static const fs::path& Parent() {
    static const fs::path parent = fs::temp_directory_path();
    return parent;
  }

  std::string path_;
};

// The exit status of the command, or why there is none. Its orphans become children of this
// process.
Result<int> RunCommand(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return FailErrno("io.open", "cannot adopt orphans", errno);
  }
  if (const int error = posix_spawn(&pid, words[0], nullptr, nullptr, words.data(), environ)) {
    return FailErrno("io.open", "cannot start " + command[0], error);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return FailErrno("io.open", "cannot wait for " + command[0], errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Prints what is wrong; true when nothing is.
class Report {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}

  void Expect(bool good, std::string_view what, std::string_view wanted, std::string_view got) {
    if (good) return;
    good_ = false;
    fmt::print("{}: {} must be {}, is {}\n", name_, what, wanted, got);
  }
  bool good() const { return good_; }

 private:
  std::string name_;
  bool good_ = true;
};

bool HasCommonWord(std::string_view alternatives, std::string_view words) {
  while (true) {
    const std::size_t end = words.find('|');
    if (Admits(alternatives, words.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    words.remove_prefix(end + 1);
  }
}

Result<bool> Check(const std::string& cacheon, const std::string& bundle,
                   const Expectation& expected) {
  const Scratch scratch;
  const std::string temporary = scratch.path() + "/tmp";
  const std::string verdict = scratch.path() + "/verdict.json";
  std::error_code error;
  if (!fs::create_directory(temporary, error)) return Fail("io.open", "no scratch folder");
  setenv("TMPDIR", temporary.c_str(), 1);
  std::vector<std::string> command = {cacheon, "verify", bundle, "--json=" + verdict};
  command.insert(command.end(), expected.arguments.begin(), expected.arguments.end());
  ASSIGN_OR_RETURN(const int exit_status, RunCommand(command));
  const bool alone = waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(verdict, kMaxVerdictBytes));
  ASSIGN_OR_RETURN(const Json document, ReadJson(text, {.max_bytes = kMaxVerdictBytes}));

  Report report(expected.name);
  const Finding finding = FirstFinding(document);
  const std::string& status = document.Find("status")->as_string();
  report.Expect(exit_status == expected.exit_status, "the exit status",
                std::to_string(expected.exit_status), std::to_string(exit_status));
  report.Expect(status == expected.status, "the verdict", expected.status, status);
  report.Expect(Admits(expected.code, finding.code), "the first code", expected.code, finding.code);
  report.Expect(HasCommonWord(expected.check, finding.place), "the failed check", expected.check,
                finding.place);
  report.Expect(alone, "what is left", "no process", "a process");
  report.Expect(fs::is_empty(temporary, error), "the temporary folder", "empty", "not empty");
  if (!report.good()) fmt::print("{}\n", PrettyJson(document));
  return report.good();
}

int Main(const std::string& cacheon, const std::string& corpus, const std::string& expected_path,
         const std::string& name) {
  const Result<bool> good = [&]() -> Result<bool> {
    ASSIGN_OR_RETURN(const std::vector<Expectation> lines, FindExpectations(expected_path, name));
    bool all = true;
    for (const Expectation& expected : lines) {
      ASSIGN_OR_RETURN(const bool one, Check(cacheon, corpus + "/" + name, expected));
      all = all && one;
    }
    return all;
  }();
  if (!good) fmt::print("{}\n", FormatError(good.error()));
  return good.value_or(false) ? 0 : 1;
}

}  // namespace
}  // namespace cacheon::corpus

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print("usage: check_bundle CACHEON CORPUS EXPECTED NAME\n");
    return 2;
  }
  return cacheon::corpus::Main(argv[1], argv[2], argv[3], argv[4]);
}
