// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

std::string_view StatusText(Fault fault) {
  switch (fault) {
    case Fault::kCandidate:
      return "the bundle is refused, exit status 1";
    case Fault::kUsage:
      return "the command line is wrong, exit status 2";
    case Fault::kEnvironment:
      return "this machine lacks something, exit status 3";
    case Fault::kInternal:
      return "a fault of cacheon, exit status 4";
  }
  return "";
}

std::string PageText(const CodePage& page) {
  std::string text = fmt::format("{}\n\n{}\n({}; {})\n", page.code, page.summary,
                                 SeverityName(page.severity), StatusText(page.fault));
  if (!page.aliases.empty())
    text += fmt::format("Also known as {}.\n", fmt::join(page.aliases, ", "));
  if (!page.body.empty()) text += fmt::format("\n{}\n", page.body);
  return text;
}

// What a coarser code stands for: the pages that it covers.
std::string CoarserText(std::string_view name, const std::vector<const CodePage*>& pages) {
  std::string text =
      fmt::format("{} covers {} rules with codes of their own\n\n", name, pages.size());
  for (const CodePage* page : pages) text += fmt::format("{:36} {}\n", page->code, page->summary);
  return text;
}

Json PageJson(const CodePage& page) {
  Json aliases = Json::Array{};
  for (const std::string_view alias : page.aliases) aliases.Append(alias);
  return Json::Object{{"code", page.code},
                      {"fault", FaultName(page.fault)},
                      {"severity", SeverityName(page.severity)},
                      {"summary", page.summary},
                      {"page", page.body},
                      {"aliases", std::move(aliases)}};
}

Result<ExitStatus> ExplainAll(const Arguments& arguments) {
  if (arguments.Has("--json")) {
    Json pages = Json::Array{};
    for (const CodePage& page : CodePages()) pages.Append(PageJson(page));
    RETURN_IF_ERROR(WriteDocument(
        arguments, "--json",
        PrettyJson(Json::Object{{"schema", "cacheon.codes.v1"}, {"codes", std::move(pages)}})));
    return ExitStatus::kAccepted;
  }
  std::string text;
  for (const CodePage& page : CodePages())
    text += fmt::format("{:36} {}\n", page.code, page.summary);
  RETURN_IF_ERROR(Print(text));
  return ExitStatus::kAccepted;
}

Result<ExitStatus> ExplainCoarser(const Arguments& arguments, std::string_view name,
                                  const std::vector<const CodePage*>& covered) {
  if (!arguments.Has("--json")) {
    RETURN_IF_ERROR(Print(CoarserText(name, covered)));
    return ExitStatus::kAccepted;
  }
  Json pages = Json::Array{};
  for (const CodePage* page : covered) pages.Append(PageJson(*page));
  RETURN_IF_ERROR(WriteDocument(
      arguments, "--json",
      PrettyJson(Json::Object{{"schema", "cacheon.codes.v1"}, {"codes", std::move(pages)}})));
  return ExitStatus::kAccepted;
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string name = arguments.Positional(0);
  if (name.empty()) return ExplainAll(arguments);
  const CodePage* page = FindCodePage(name);
  const std::vector<const CodePage*> covered = PagesBelow(name);
  if (page == nullptr && !covered.empty()) return ExplainCoarser(arguments, name, covered);
  if (page == nullptr) {
    return Fail("usage.unknown_code", fmt::format("no code is called `{}`", name), {},
                fmt::format("did you mean {}?", fmt::join(NearestCodes(name, 3), ", ")));
  }
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(PageJson(*page))));
  } else {
    RETURN_IF_ERROR(Print(PageText(*page)));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kExplain = {
    .name = "explain",
    .summary = "the rule behind an error code: why, an example, how to fix it",
    .positionals = {{"CODE", "an error code such as manifest.path_escape; none lists them all", 0,
                     1}},
    .flags = {kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
