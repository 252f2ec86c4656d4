// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that knows the command-line library.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <memory>

#include "cacheon/core/unique_fd.h"
#include "cacheon/core/version.h"
#include "src/cli/error_list.h"
#include "src/cli/verb.h"

namespace cacheon::cli {

// Gives the parser a place for every flag and collects what was given.
class ArgumentsBuilder {
 public:
  void Register(CLI::App& app, const Verb& verb) {
    switches_.resize(verb.flags.size());
    lists_.resize(verb.flags.size());
    for (std::size_t i = 0; i < verb.flags.size(); ++i) {
      const Flag& flag = verb.flags[i];
      std::string name(flag.name);
      if (!flag.short_name.empty()) name += fmt::format(",{}", flag.short_name);
      const std::string help(flag.help);
      if (flag.kind == FlagKind::kSwitch) {
        app.add_flag(name, switches_[i].value, help);
        continue;
      }
      CLI::Option* option = app.add_option(name, lists_[i], help);
      option->type_name(std::string(flag.value_name));
      if (flag.kind != FlagKind::kList)
        option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      if (!flag.choices.empty()) {
        option->check(
            CLI::IsMember(std::vector<std::string>(flag.choices.begin(), flag.choices.end())));
      }
    }
    arguments_.positionals_.resize(verb.positionals.size());
    for (std::size_t i = 0; i < verb.positionals.size(); ++i) {
      const cli::Positional& positional = verb.positionals[i];
      CLI::Option* option = app.add_option(std::string(positional.name), arguments_.positionals_[i],
                                           std::string(positional.help));
      option->type_name("");
      constexpr int kAny = 1 << 20;
      option->expected(positional.min_count,
                       positional.max_count < 0 ? kAny : positional.max_count);
      if (positional.min_count > 0) option->required();
      // A vector takes all that follows unless told otherwise; the next positional is to have it.
      if (positional.min_count == positional.max_count) option->allow_extra_args(false);
    }
  }

  const Arguments& Build(const Verb& verb) {
    for (std::size_t i = 0; i < verb.flags.size(); ++i) {
      std::vector<std::string> values = lists_[i];
      if (switches_[i].value) values = {"true"};
      if (!values.empty()) arguments_.values_.emplace(verb.flags[i].name, std::move(values));
    }
    return arguments_;
  }

 private:
  struct Switch {
    bool value = false;
  };
  std::vector<Switch> switches_;
  std::vector<std::vector<std::string>> lists_;
  Arguments arguments_;
};

std::string Arguments::Value(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? "" : found->second.back();
}

std::vector<std::string> Arguments::Values(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::Positional(std::size_t place) const {
  return positionals_[place].empty() ? "" : positionals_[place].front();
}

Result<std::optional<std::int64_t>> Arguments::Integer(std::string_view flag, std::int64_t low,
                                                       std::int64_t high) const {
  if (!Has(flag)) return std::optional<std::int64_t>();
  const std::string text = Value(flag);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return Fail("usage.number",
                fmt::format("`{}` is not a whole number from {} to {}", text, low, high),
                {.key_path = std::string(flag)});
  }
  return std::optional(value);
}

Status Print(std::string_view text) { return WriteAll(1, text); }

Status WriteDocument(const Arguments& arguments, std::string_view flag, std::string_view text) {
  const std::string path = arguments.Value(flag);
  const std::string line = std::string(text) + "\n";
  return path == "-" ? Print(line) : WriteFileAtomically(path, line);
}

namespace {

// A bare `--json` would take the next word as its file; the form without `=` means stdout.
std::vector<std::string> SpellOut(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i >= 1; --i) {
    const std::string word = argv[i];
    words.push_back(word == "--json" ? "--json=-" : word);
  }
  return words;  // the library takes them last word first
}

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

int Main(int argc, char** argv) {
  // A closed stdout is an error of the write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Accepts inference kernels from people it does not trust.", "cacheon");
  app.set_version_flag("--version", fmt::format("cacheon {} ({})", Version(), BuildId()));
  app.require_subcommand(1);
  app.fallthrough(false);
  std::vector<std::pair<const Verb*, CLI::App*>> commands;
  std::vector<std::unique_ptr<ArgumentsBuilder>> builders;
  for (const Verb* verb : Verbs()) {
    CLI::App* command = app.add_subcommand(std::string(verb->name), std::string(verb->summary));
    builders.push_back(std::make_unique<ArgumentsBuilder>());
    builders.back()->Register(*command, *verb);
    commands.emplace_back(verb, command);
  }
  try {
    app.parse(SpellOut(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    const bool as_json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    const Error wrong = Fail("usage.arguments", OneLine(error.what()), {},
                             "`cacheon --help` lists the verbs, `cacheon VERB --help` its flags")
                            .error();
    return static_cast<int>(ReportErrors(as_json ? "-" : "", {&wrong, 1}));
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto& [verb, command] = commands[i];
    if (!command->parsed()) continue;
    const Arguments& arguments = builders[i]->Build(*verb);
    const Result<ExitStatus> status = verb->run(arguments);
    return static_cast<int>(status ? *status
                                   : ReportErrors(arguments.Value("--json"), {&status.error(), 1}));
  }
  return static_cast<int>(ExitStatus::kUsage);
}

}  // namespace cacheon::cli
