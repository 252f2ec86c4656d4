// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// An Error says which rule, where, in one sentence, and what to do. It is data: the report module
// turns it into text, JSON or SARIF.

#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/code.h"
#include "cacheon/core/json.h"

namespace cacheon {

// Where something is wrong. Empty or zero fields are unknown.
struct Place {
  std::string file = {};      // relative to the bundle, or as the user gave it
  int line = 0;               // from 1
  int column = 0;             // from 1, in code points
  std::string key_path = {};  // `ops[2].aot_exports[0].bindings[1].axis`

  friend bool operator==(const Place&, const Place&) = default;
};

struct Error {
  Code code;
  std::string message;  // one sentence, lower-case start, no full stop at the end
  Place where = {};
  std::string hint = {};    // what to do instead; may be empty
  std::string symbol = {};  // scan findings only: the name that the finding is about
  Severity severity = Severity::kError;
  std::vector<std::string> context = {};  // added on the way up, innermost first

  // Builders for the places that add what a lower layer cannot know.
  Error&& At(Place place) &&;
  Error&& InFile(std::string_view file) &&;
  Error&& Hint(std::string_view text) &&;
  Error&& While(std::string_view what) &&;  // "binding `output.out`"
};

// `CODE: PLACE: sentence` on one line and an indented hint (docs/cli.md). What a candidate may have
// chosen is made Printable().
std::string FormatError(const Error& error);

// `file:line:column: key_path` with the unknown parts left out, Printable; empty when nothing is
// known.
std::string FormatPlace(const Place& place);

// {"code","severity","where":{"file","line","column","key_path"},"message","hint"} and, for scan
// findings, "symbol". Unknown places are null.
Json ErrorToJson(const Error& error);

std::string_view SeverityName(Severity severity);
std::string_view FaultName(Fault fault);

// The process's exit status. Each value is documented in docs/cli.md.
enum class ExitStatus { kAccepted = 0, kRefused = 1, kUsage = 2, kEnvironment = 3, kInternal = 4 };

// The status that an error ends a command with. A code without a page is a fault of ours.
ExitStatus StatusOf(const Error& error);

// The status of several results: the highest of 4, 3, 1, 0. Usage errors are not combined.
ExitStatus Combine(ExitStatus a, ExitStatus b);

}  // namespace cacheon
