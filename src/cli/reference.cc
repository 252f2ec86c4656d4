// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "cacheon/core/unique_fd.h"
#include "cacheon/slots/tensor_json.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

constexpr std::size_t kMaxCaseBytes = std::size_t{256} << 20U;

// One case, or all cases of a vector file.
Json::Array CasesOf(const Json& document) {
  const Json* cases = document.Find("cases");
  return cases != nullptr && cases->is_array() ? cases->as_array() : Json::Array{document};
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const slots::Slot* slot = slots::FindSlot(arguments.Positional(0));
  if (slot == nullptr) {
    return Fail("usage.unknown_slot",
                fmt::format("no slot is called `{}`", arguments.Positional(0)), {},
                "`cacheon slots` lists the slots");
  }
  const std::string path = arguments.Positional(1);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxCaseBytes));
  Result<Json> document = ReadJson(text, {.max_bytes = kMaxCaseBytes});
  if (!document) return Fail(std::move(document.error()).InFile(path));
  Json cases = Json::Array{};
  for (const Json& the_case : CasesOf(*document)) {
    Result<Json> outputs = slots::RunReferenceJson(*slot, the_case);
    if (!outputs) return Fail(std::move(outputs.error()).InFile(path));
    const Json* name = the_case.Find("name");
    cases.Append(
        Json::Object{{"name", name == nullptr ? Json() : *name}, {"outputs", std::move(*outputs)}});
  }
  const Json result = Json::Object{{"schema", "cacheon.reference.v1"},
                                   {"slot", slot->contract().id},
                                   {"cases", std::move(cases)}};
  const std::string output = DocumentJson(result);
  // The outputs are data: without --json they go to stdout in the same form.
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", output));
  } else {
    RETURN_IF_ERROR(Print(output + "\n"));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kReference = {
    .name = "reference",
    .summary = "the slot's trusted outputs for given inputs",
    .positionals = {{"SLOT", "a slot"}, {"FILE", "a case, or a file of cases, as JSON"}},
    .flags = {kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
