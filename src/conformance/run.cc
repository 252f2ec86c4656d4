// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20U;
constexpr std::size_t kShownLength = 400;

std::string Shorten(std::string text) {
  if (text.size() > kShownLength) text = text.substr(0, kShownLength) + "…";
  return text;
}

FileResult RunFile(const std::string& directory, std::string relative) {
  FileResult result{.path = std::move(relative), .cases = {}};
  const FileKind* kind = FindFileKind(result.path);
  if (kind == nullptr) {
    result.problem = "no runner knows this kind of file";
    return result;
  }
  const auto run = [&]() -> Result<std::vector<CaseResult>> {
    ASSIGN_OR_RETURN(const std::string text,
                     ReadFile(directory + "/" + result.path, kMaxFileBytes));
    ASSIGN_OR_RETURN(const Json document, ReadJson(text, {.max_bytes = kMaxFileBytes}));
    return kind->run(document);
  };
  Result<std::vector<CaseResult>> cases = run();
  if (cases) {
    result.cases = std::move(*cases);
    if (result.cases.empty()) result.problem = "the file holds no case";
  } else {
    result.problem = FormatError(cases.error());
  }
  return result;
}

}  // namespace

Result<std::vector<FileResult>> RunDirectory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code error;
  const fs::path root(directory);
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") {
      paths.push_back(it->path().lexically_relative(root).generic_string());
    }
  }
  if (error) return Fail("io.open", error.message(), {.file = directory});
  std::ranges::sort(paths);
  std::vector<FileResult> results;
  results.reserve(paths.size());
  for (std::string& path : paths) results.push_back(RunFile(directory, std::move(path)));
  return results;
}

bool CodesAgree(std::string_view expected, std::string_view got) {
  const CodePage* page = FindCodePage(got);
  return expected == got ||
         (page != nullptr && (page == FindCodePage(expected) ||
                              std::ranges::find(page->aliases, expected) != page->aliases.end() ||
                              std::ranges::find(page->coarser, expected) != page->coarser.end()));
}

CaseResult Agrees(std::string name) { return {.name = std::move(name)}; }

CaseResult Differs(std::string name, std::string expected, std::string got) {
  return {.name = std::move(name),
          .agreement = Agreement::kDiffer,
          .expected = Shorten(std::move(expected)),
          .got = Shorten(std::move(got))};
}

CaseResult Unsupported(std::string name, std::string why) {
  return {.name = std::move(name), .agreement = Agreement::kUnsupported, .got = std::move(why)};
}

CaseResult CompareJson(std::string name, const Json& expected, const Json& got) {
  if (expected == got) return Agrees(std::move(name));
  return Differs(std::move(name), DocumentJson(expected), DocumentJson(got));
}

CaseResult CompareReject(std::string name, std::string_view expected_code, const Error* error) {
  if (error == nullptr) {
    return Differs(std::move(name), fmt::format("reject ({})", expected_code), "accept");
  }
  CaseResult result = Agrees(std::move(name));
  result.expected_code = expected_code;
  result.got_code = error->code.text();
  return result;
}

}  // namespace cacheon::conformance
