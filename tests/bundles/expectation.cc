// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/bundles/expectation.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "cacheon/core/unique_fd.h"

namespace cacheon::corpus {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;

bool ReadNumber(std::string_view word, int& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

bool ReadLine(const std::string& line, Expectation& one) {
  std::istringstream words(line);
  std::string exit_status;
  if (!(words >> one.name >> one.family >> exit_status >> one.status >> one.code >> one.check)) {
    return false;
  }
  for (std::string argument; words >> argument;) one.arguments.push_back(std::move(argument));
  return ReadNumber(exit_status, one.exit_status);
}

}  // namespace

bool Admits(std::string_view alternatives, std::string_view word) {
  while (true) {
    const std::size_t end = alternatives.find('|');
    if (alternatives.substr(0, end) == word) return true;
    if (end == std::string_view::npos) return false;
    alternatives.remove_prefix(end + 1);
  }
}

Result<std::vector<Expectation>> ReadExpectations(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxFileBytes));
  std::istringstream lines(text);
  std::vector<Expectation> expectations;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    Expectation one;
    if (!ReadLine(line, one)) {
      return Fail("io.read", "not NAME FAMILY EXIT STATUS CODE CHECK [ARGUMENT...]",
                  {.file = path, .line = number});
    }
    expectations.push_back(std::move(one));
  }
  return expectations;
}

Result<std::vector<Expectation>> FindExpectations(const std::string& path,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(std::vector<Expectation> expectations, ReadExpectations(path));
  std::erase_if(expectations, [&](const Expectation& one) { return one.name != name; });
  if (expectations.empty()) {
    return Fail("io.read", fmt::format("no line for {}", name), {.file = path});
  }
  return expectations;
}

}  // namespace cacheon::corpus
