// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/code.h"
#include "cacheon/core/sha256.h"

namespace cacheon::report {
namespace {

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// Percent-encodes what a URI reference may not hold as it is; '/' separates and stays.
std::string UriOf(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri;
}

std::string JoinedPath(std::string_view folder, const std::string& file) {
  const std::string name = file.empty() ? "manifest.toml" : file;
  if (folder.empty() || name.starts_with('/')) return name;
  return fmt::format("{}/{}", folder.substr(0, folder.find_last_not_of('/') + 1), name);
}

Json Rule(std::string_view code) {
  Json rule = Json::Object{{"id", code}, {"name", code}};
  const CodePage* page = FindCodePage(code);
  if (page == nullptr) return rule;
  rule["shortDescription"] = Json::Object{{"text", page->summary}};
  rule["fullDescription"] = Json::Object{{"text", page->summary}};
  rule["help"] = Json::Object{{"text", page->body}, {"markdown", page->body}};
  rule["defaultConfiguration"] = Json::Object{{"level", SeverityName(page->severity)}};
  return rule;
}

Json Region(const Place& place) {
  Json region = Json::Object{{"startLine", std::max(1, place.line)}};
  if (place.line > 0 && place.column > 0) region["startColumn"] = place.column;
  return region;
}

std::string MessageOf(const Error& error) {
  std::string text = error.message;
  for (const std::string& context : error.context) text += fmt::format(" (while {})", context);
  if (!error.hint.empty()) text += fmt::format(". {}", error.hint);
  return text;
}

// The same finding in a changed file keeps its fingerprint as long as it is about the same name.
std::string FingerprintOf(const Error& error, int occurrence) {
  return Sha256Hex(fmt::format("{}\n{}\n{}\n{}\n{}", error.code.text(), error.where.file,
                               error.where.key_path, error.symbol, occurrence));
}

Json ResultOf(const Error& error, std::size_t rule, std::string_view folder, int occurrence) {
  Json location = Json::Object{
      {"physicalLocation",
       Json::Object{
           {"artifactLocation", Json::Object{{"uri", UriOf(JoinedPath(folder, error.where.file))}}},
           {"region", Region(error.where)}}}};
  if (!error.where.key_path.empty()) {
    location["logicalLocations"] =
        Json::Array{Json::Object{{"fullyQualifiedName", error.where.key_path}}};
  }
  Json result =
      Json::Object{{"ruleId", error.code.text()},
                   {"ruleIndex", static_cast<std::int64_t>(rule)},
                   {"level", SeverityName(error.severity)},
                   {"message", Json::Object{{"text", MessageOf(error)}}},
                   {"locations", Json::Array{std::move(location)}},
                   {"partialFingerprints",
                    Json::Object{{"cacheonFinding/v1", FingerprintOf(error, occurrence)}}}};
  if (!error.symbol.empty()) result["properties"] = Json::Object{{"symbol", error.symbol}};
  return result;
}

// Errors first, each severity in the order given.
std::vector<const Error*> Ranked(std::span<const Error> errors) {
  std::vector<const Error*> ranked;
  for (const Error& error : errors) ranked.push_back(&error);
  std::ranges::stable_sort(ranked, {}, [](const Error* error) { return error->severity; });
  if (ranked.size() > kMaxSarifResults) ranked.resize(kMaxSarifResults);
  return ranked;
}

}  // namespace

Json SarifLog(std::span<const Error> errors, std::string_view tool_version,
              std::string_view folder) {
  const std::vector<const Error*> ranked = Ranked(errors);
  std::map<std::string_view, std::size_t> indices;
  for (const Error* error : ranked) indices.emplace(error->code.text(), 0);
  Json::Array rules;
  for (auto& [code, index] : indices) {
    index = rules.size();
    rules.push_back(Rule(code));
  }
  std::map<std::string, int> occurrences;
  Json::Array results;
  for (const Error* error : ranked) {
    const int occurrence = occurrences[FingerprintOf(*error, 0)]++;
    results.push_back(ResultOf(*error, indices.at(error->code.text()), folder, occurrence));
  }
  Json driver =
      Json::Object{{"name", "cacheon"}, {"version", tool_version}, {"rules", std::move(rules)}};
  Json run = Json::Object{{"tool", Json::Object{{"driver", std::move(driver)}}},
                          {"columnKind", "unicodeCodePoints"},
                          {"results", std::move(results)}};
  return Json::Object{
      {"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::Array{std::move(run)}}};
}

}  // namespace cacheon::report
