// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a bundle of a corpus must get: one line of text per bundle, so that adding one needs no C++.
//
//   NAME FAMILY EXIT STATUS CODE CHECK [ARGUMENT...]
//
// NAME is the bundle's folder below the corpus. FAMILY is what it is counted under: `F1` to `F16`
// for a cheat, `fault` for a mistake of an honest kernel, `honest` for one that must be accepted.
// EXIT is the exit status of `cacheon verify`, STATUS the status of the verdict, CODE the code of
// its first error or `-`. CHECK says where that error stands:
//
//   bundle    among the errors of the bundle: its manifest or a domain; nothing was run
//   scan      the same, found by the static scan
//   row       among the errors of a row
//   -         nowhere
//   NAME      in a case, whose check of that name is `failed`
//
// CODE and CHECK may list alternatives, `a|b`, where a race or chance decides which fires first.
// Further words are arguments of the command; a bundle may have several lines with different ones.
// Empty lines and lines that start with `#` are not looked at.

#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::corpus {

struct Expectation {
  std::string name;
  std::string family;
  int exit_status = 0;
  std::string status;
  std::string code;
  std::string check;
  std::vector<std::string> arguments;
};

inline constexpr std::string_view kScanCheck = "scan";
inline constexpr std::string_view kRowCheck = "row";
inline constexpr std::string_view kNoCheck = "-";

// True when `word` is one of `a|b|c`.
bool Admits(std::string_view alternatives, std::string_view word);

// Codes: io.open; io.read, with the line that has another form.
Result<std::vector<Expectation>> ReadExpectations(const std::string& path);

// The lines of one bundle. Codes: those of ReadExpectations; io.read when there is none.
Result<std::vector<Expectation>> FindExpectations(const std::string& path, const std::string& name);

}  // namespace cacheon::corpus
