// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// check_example CACHEON EXAMPLES EXPECTED BUNDLE: verifies one example with the real command, in
// each mode that EXPECTED has a line for, and compares exit status, verdict and first code with it.

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace {

using cacheon::Json;

constexpr std::size_t kMaxExpectedBytes = 1U << 20U;

struct Expectation {
  std::string mode;
  std::string status;
  std::string code;
};

cacheon::Result<std::vector<Expectation>> FindExpectations(const std::string& path,
                                                           const std::string& bundle) {
  ASSIGN_OR_RETURN(const std::string text, cacheon::ReadFile(path, kMaxExpectedBytes));
  std::istringstream lines(text);
  std::vector<Expectation> found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    Expectation expectation;
    if (words >> name >> expectation.mode >> expectation.status >> expectation.code &&
        name == bundle) {
      found.push_back(expectation);
    }
  }
  if (!found.empty()) return found;
  return cacheon::Fail("io.open", fmt::format("no line for {}", bundle), {.file = path});
}

struct CommandResult {
  std::string output;
  int exit_status = -1;
};

CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 65536> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// The code of the first error of the first case, row or bundle that has one.
std::string FirstCode(const Json& document) {
  const auto first = [](const Json& holder) -> std::string {
    for (const Json& error : holder.Find("errors")->as_array()) {
      if (*error.Find("severity") == Json("error")) return error.Find("code")->as_string();
    }
    return "";
  };
  if (const std::string code = first(document); !code.empty()) return code;
  for (const Json& row : document.Find("rows")->as_array()) {
    if (const std::string code = first(row); !code.empty()) return code;
    for (const Json& one : row.Find("cases")->as_array()) {
      if (const std::string code = first(one); !code.empty()) return code;
    }
  }
  return "-";
}

bool Holds(const std::string& cacheon, const std::string& bundle, const Expectation& expected) {
  const CommandResult run =
      RunCommand(fmt::format("'{}' verify '{}' --mode {} --json", cacheon, bundle, expected.mode));
  const cacheon::Result<Json> document = cacheon::ReadJson(run.output);
  if (!document) {
    fmt::print("no verdict on stdout, exit status {}\n{}\n", run.exit_status, run.output);
    return false;
  }
  const std::string status = document->Find("status")->as_string();
  const std::string code = FirstCode(*document);
  const bool accepted = expected.status == "PASS" || expected.status == "NUMERICAL_PASS";
  const bool good =
      status == expected.status && code == expected.code && run.exit_status == (accepted ? 0 : 1);
  if (!good) {
    fmt::print("{} {}: expected {} {}, got {} {} with exit status {}\n{}\n", bundle, expected.mode,
               expected.status, expected.code, status, code, run.exit_status,
               cacheon::PrettyJson(*document));
  }
  return good;
}

int Check(const std::string& cacheon, const std::string& examples, const std::string& expected_path,
          const std::string& bundle) {
  const auto expected = FindExpectations(expected_path, bundle);
  if (!expected) {
    fmt::print("{}\n", cacheon::FormatError(expected.error()));
    return 1;
  }
  bool good = true;
  for (const Expectation& one : *expected) good &= Holds(cacheon, examples + "/" + bundle, one);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print("usage: check_example CACHEON EXAMPLES EXPECTED BUNDLE\n");
    return 2;
  }
  return Check(argv[1], argv[2], argv[3], argv[4]);
}
