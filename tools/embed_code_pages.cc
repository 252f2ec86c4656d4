// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Build step: turns docs/codes/*.md into the table behind CodePages(). Each file starts with a
// title and prose for readers; then every code is one section:
//
//   ## manifest.path_escape
//
//   `fault: candidate` `severity: error` `aliases: tree.escape` `coarser: tree.path`
//
//   One sentence, the summary, which ends at the first blank line.
//
//   The body: why, **Bad**, **Good**.
//
// `aliases` (other names of the same rule) and `coarser` (codes that cover this rule and others)
// may be left out. A file that does not follow the form stops the build.
//
// Usage: embed_code_pages OUTPUT.cc INPUT.md...

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Page {
  std::string fault;
  std::string severity;
  std::vector<std::string> aliases;
  std::vector<std::string> coarser;
  std::string summary;
  std::string body;
};

[[noreturn]] void Die(const std::string& file, const std::string& code, const std::string& what) {
  std::cerr << file << ": " << code << ": " << what << "\n";
  std::exit(1);
}

std::string Trim(const std::string& text) {
  const auto begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// The value of `key: value` between backquotes; empty when the line has no such key.
std::string Attribute(const std::string& line, const std::string& key) {
  const auto begin = line.find("`" + key + ": ");
  if (begin == std::string::npos) return "";
  const auto value = begin + key.size() + 3;
  return line.substr(value, line.find('`', value) - value);
}

std::vector<std::string> Names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) names.push_back(Trim(word));
  return names;
}

Page ParsePage(const std::string& file, const std::string& code, const std::string& section) {
  std::istringstream lines(Trim(section));
  std::string attributes;
  std::getline(lines, attributes);
  Page page{.fault = Attribute(attributes, "fault"), .severity = Attribute(attributes, "severity")};
  static const std::map<std::string, std::string> kFaults = {{"candidate", "kCandidate"},
                                                             {"usage", "kUsage"},
                                                             {"environment", "kEnvironment"},
                                                             {"internal", "kInternal"}};
  static const std::map<std::string, std::string> kSeverities = {
      {"error", "kError"}, {"warning", "kWarning"}, {"note", "kNote"}};
  if (!kFaults.contains(page.fault)) Die(file, code, "no known `fault:`");
  if (!kSeverities.contains(page.severity)) Die(file, code, "no known `severity:`");
  page.fault = kFaults.at(page.fault);
  page.severity = kSeverities.at(page.severity);
  page.aliases = Names(Attribute(attributes, "aliases"));
  page.coarser = Names(Attribute(attributes, "coarser"));
  std::ostringstream rest;
  rest << lines.rdbuf();
  const std::string text = Trim(rest.str());
  const auto blank = text.find("\n\n");
  page.summary = text.substr(0, blank);
  page.body = blank == std::string::npos ? "" : Trim(text.substr(blank));
  for (char& c : page.summary) {
    if (c == '\n') c = ' ';
  }
  if (page.summary.empty()) Die(file, code, "no summary");
  if (page.body.find("**Bad**") == std::string::npos ||
      page.body.find("**Good**") == std::string::npos) {
    Die(file, code, "a page needs a **Bad** and a **Good** example");
  }
  return page;
}

std::string Literal(const std::string& text) { return "R\"~~~~(" + text + ")~~~~\""; }

void WriteNames(std::ostream& out, const std::string& variable,
                const std::vector<std::string>& names) {
  out << "constexpr std::string_view " << variable << "[] = {";
  for (const std::string& name : names) out << Literal(name) << ", ";
  out << "{}};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) Die("embed_code_pages", "usage", "OUTPUT.cc INPUT.md...");
  std::map<std::string, Page> pages;
  for (int i = 2; i < argc; ++i) {
    std::ifstream input(argv[i]);
    std::string code;
    std::string section;
    const auto finish = [&] {
      if (!code.empty() && !pages.emplace(code, ParsePage(argv[i], code, section)).second) {
        Die(argv[i], code, "has two pages");
      }
      section.clear();
    };
    for (std::string line; std::getline(input, line);) {
      if (line.starts_with("## ")) {
        finish();
        code = line.substr(3);
      } else {
        section += line + "\n";
      }
    }
    finish();
  }
  std::ofstream out(argv[1]);
  out << "#include \"cacheon/core/code.h\"\n\nnamespace cacheon {\nnamespace {\n\n";
  int number = 0;
  for (const auto& [code, page] : pages) {
    WriteNames(out, "kAliases" + std::to_string(number), page.aliases);
    WriteNames(out, "kCoarser" + std::to_string(number++), page.coarser);
  }
  out << "\nconstexpr CodePage kPages[] = {\n";
  number = 0;
  for (const auto& [code, page] : pages) {
    out << "    {" << Literal(code) << ", Fault::" << page.fault << ", Severity::" << page.severity
        << ",\n     " << Literal(page.summary) << ",\n     " << Literal(page.body)
        << ",\n     std::span(kAliases" << number << ", " << page.aliases.size()
        << "), std::span(kCoarser" << number << ", " << page.coarser.size() << ")},\n";
    ++number;
  }
  out << "};\n\n}  // namespace\n\nstd::span<const CodePage> CodePages() { return kPages; }\n\n"
      << "}  // namespace cacheon\n";
  return out.good() ? 0 : 1;
}
