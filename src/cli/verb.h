// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A verb of the command line as data: what it takes and the function that does it. One file per
// verb defines one `const Verb`; parse.cc turns the table into a command line.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::cli {

enum class FlagKind {
  kSwitch,        // --strict
  kValue,         // --seed 7
  kList,          // --rows A --rows B
  kOptionalFile,  // --json or --json=FILE; the bare form has the value "-"
};

struct Flag {
  std::string_view name;  // with dashes: "--seed"
  FlagKind kind = FlagKind::kSwitch;
  std::string_view value_name = {};  // "S"
  std::string_view help = {};
  std::vector<std::string_view> choices = {};  // empty: any text
  std::string_view short_name = {};            // "-v"
};

struct Positional {
  std::string_view name;  // "BUNDLE"
  std::string_view help;
  int min_count = 1;
  int max_count = 1;  // -1: any number
};

// What a command line gave. Names are those of the verb's own table.
class Arguments {
 public:
  bool Has(std::string_view flag) const { return values_.contains(flag); }
  // The value of a flag; empty when it was not given.
  std::string Value(std::string_view flag) const;
  std::vector<std::string> Values(std::string_view flag) const;
  // The positional at this place of the verb's table.
  const std::vector<std::string>& Positionals(std::size_t place) const {
    return positionals_[place];
  }
  std::string Positional(std::size_t place) const;

  // Code: usage.number (the flag's value is no number of this range).
  Result<std::optional<std::int64_t>> Integer(std::string_view flag, std::int64_t low,
                                              std::int64_t high) const;

 private:
  friend class ArgumentsBuilder;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::vector<std::string>> positionals_;
};

struct Verb {
  std::string_view name;
  std::string_view summary;  // one line for the list of verbs
  std::vector<Positional> positionals;
  std::vector<Flag> flags;
  // Prints to stdout what was asked for. An error becomes text or JSON and decides the status.
  Result<ExitStatus> (*run)(const Arguments&);
};

// All verbs, in the order of the help text.
std::span<const Verb* const> Verbs();

// Flags that several verbs share.
inline const Flag kJsonFlag = {"--json", FlagKind::kOptionalFile, "FILE",
                               "one JSON document on stdout, or into FILE with --json=FILE"};

// Writes a document where --json asked for it. Code: io.write.
Status WriteDocument(const Arguments& arguments, std::string_view flag, std::string_view text);

// Prints to stdout; io.write when it is closed or full.
Status Print(std::string_view text);

// Runs the command line and returns the process's exit status.
int Main(int argc, char** argv);

}  // namespace cacheon::cli
