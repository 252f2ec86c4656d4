// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_parser.h"

#include <utility>

namespace cacheon::policy {
namespace {

PythonParse GaveUp(std::string why) {
  PythonParse parse;
  parse.status = PythonParseStatus::kLimit;
  parse.message = std::move(why);
  return parse;
}

}  // namespace

Status PythonParser::Prepare() {
  if (child_) return {};
  ASSIGN_OR_RETURN(child_, PythonChild::Start(interpreter_));
  greeted_ = false;
  return {};
}

Status PythonParser::Greet() {
  RETURN_IF_ERROR(Prepare());
  if (greeted_) return {};
  const ChildReply reply = child_->Read();
  if (reply.outcome == ChildOutcome::kAnswered) {
    ASSIGN_OR_RETURN(const PythonParse greeting, ReadPythonFacts(reply.text, {}));
    greeted_ = greeting.status == PythonParseStatus::kReady;
    version_ = greeting.version;
  }
  if (greeted_) return {};
  child_.reset();
  return Fail("scan.parser_unavailable", interpreter_ + " did not start as a parser",
              {.file = interpreter_}, "name a CPython 3.11 or later with --python");
}

Result<PythonParse> PythonParser::Parse(const SourceText& source) {
  constexpr int kAttempts = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (const Status greeted = Greet(); !greeted) {
      if (attempt + 1 == kAttempts) return Fail(greeted.error());
      continue;
    }
    const ChildReply reply = child_->Ask(source.content());
    if (reply.outcome == ChildOutcome::kAnswered) {
      auto parse = ReadPythonFacts(reply.text, source.line_lengths());
      if (parse) return parse;
      child_.reset();
      return GaveUp("the parser answered what no parser answers");
    }
    child_.reset();
    if (reply.outcome == ChildOutcome::kOverTime) return GaveUp("the parser took too long");
  }
  return GaveUp("the parser ended without an answer");
}

}  // namespace cacheon::policy
