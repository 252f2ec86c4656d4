// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "src/policy/python_names.h"
#include "src/policy/python_prepass.h"
#include "src/policy/python_rules.h"
#include "src/policy/python_scopes.h"
#include "src/policy/scan_tree.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr int kTypeParameters = 12;  // minor version that has `type X = ...` and `def f[T]`

// True when the line uses syntax that Python 3.12 has and earlier ones lack.
bool NeedsNewerGrammar(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  line.remove_prefix(first);
  if (line.starts_with("async ")) line.remove_prefix(std::string_view("async ").size());
  const bool alias = line.starts_with("type ") && line.find('=') != std::string_view::npos;
  const bool generic = (line.starts_with("def ") || line.starts_with("class ")) &&
                       line.find('[') < line.find_first_of("(:");
  return alias || generic;
}

void ReportSyntax(const PythonParse& parse, int version, ParsedPython& file) {
  const SourcePlace line_start{parse.line, 0};
  // CPython counts columns from 1 in code points; a place counts bytes from 0.
  const std::string_view line = file.source->Line(parse.line);
  int bytes = 0;
  for (int column = 1; column < parse.column && bytes < static_cast<int>(line.size()); ++column) {
    do ++bytes;
    while (bytes < static_cast<int>(line.size()) &&
           (static_cast<unsigned char>(line[static_cast<std::size_t>(bytes)]) & 0xC0U) == 0x80U);
  }
  if (version > 0 && version < kTypeParameters && NeedsNewerGrammar(line)) {
    file.findings.Floor(
        "py.version", line_start,
        {"", fmt::format("this syntax is newer than the runtime's Python 3.{}", version),
         "write it for the runtime's version"});
    return;
  }
  file.findings.Floor("py.syntax", {parse.line, bytes},
                      {"", parse.message.empty() ? "the file is no Python" : parse.message,
                       "`python3 -m py_compile FILE` shows the same"});
}

std::string ImportedModule(const PythonTree& tree, std::int32_t node) {
  const PythonNode& statement = tree[node];
  return std::string(static_cast<std::size_t>(std::clamp(statement.flag, 0, 16)), '.') +
         std::string(statement.text);
}

// One file with what the rules derive from its tree.
class FileUnderRules {
 public:
  explicit FileUnderRules(ParsedPython parsed)
      : parsed_(std::move(parsed)), scopes_(parsed_.tree) {}

  const std::string& path() const { return parsed_.source->path(); }
  const PythonTree& tree() const { return parsed_.tree; }
  const PythonNames& names() const { return *names_; }

  void Follow(const LocalModules& modules, const LocalExports& exports) {
    names_ = std::make_unique<PythonNames>(parsed_.tree, scopes_, path(), modules, exports);
  }

  void Check(const ScanBundle& bundle, const LocalModules& modules) {
    const PythonFile file{path(), parsed_.tree, scopes_, *names_, modules, bundle};
    for (const auto rule :
         {CheckImports, CheckEscapes, CheckCompile, CheckUses, CheckWrites, CheckResultReuse,
          CheckDefinitions, CheckTopLevel, CheckConstants, CheckTriton}) {
      rule(file, parsed_.findings);
    }
  }

  Findings& findings() { return parsed_.findings; }

  ScanFileFacts Facts() const {
    ScanFileFacts facts{.path = path(), .language = "python"};
    std::set<std::string> imports;
    for (std::int32_t i = 0; i < tree().size(); ++i) {
      const K kind = tree()[i].kind;
      if (kind == K::kImportFrom) imports.insert(ImportedModule(tree(), i));
      if (kind == K::kAlias && tree()[tree()[i].parent].kind == K::kImport)
        imports.emplace(tree()[i].text);
      if (kind != K::kFunctionDef) continue;
      if (tree()[i].parent == 0) facts.functions.emplace_back(tree()[i].text);
      if (IsJitFunction(tree(), i)) facts.kernels.emplace_back(tree()[i].text);
    }
    facts.imports.assign(imports.begin(), imports.end());
    return facts;
  }

  // A call like `kernel[grid](...)`, of a registered operator or of another library's kernels.
  bool LaunchesSomething() const {
    for (std::int32_t i = 0; i < tree().size(); ++i) {
      const PythonNode& node = tree()[i];
      if (node.kind == K::kSubscript && node.field == F::kFunc) return true;
      if (node.kind != K::kName && node.kind != K::kAttribute) continue;
      for (const std::string& name : names_->Of(i)) {
        const std::string_view root = DottedRoot(name);
        const bool elsewhere = root != "torch" && root != "builtins" && root != "math" &&
                               root != "typing" && root != "functools" && name[0] != kLocalMark;
        if (elsewhere || name.starts_with("torch.ops.")) return true;
      }
    }
    return false;
  }

 private:
  ParsedPython parsed_;
  PythonScopes scopes_;
  std::unique_ptr<PythonNames> names_;
};

// An entry none of whose files launches a kernel is a wrapper around torch.
void AdviseWrappers(const ScanBundle& bundle, std::vector<FileUnderRules>& files) {
  if (!bundle.cuda_sources.empty()) return;
  if (std::ranges::any_of(files, &FileUnderRules::LaunchesSomething)) return;
  for (FileUnderRules& file : files) {
    for (std::int32_t i = 0; i < file.tree().size(); ++i) {
      const PythonNode& node = file.tree()[i];
      const bool is_entry =
          node.kind == K::kFunctionDef && node.parent == 0 &&
          std::ranges::any_of(bundle.entry_points, [&](const ScanEntryPoint& entry) {
            return entry.source == file.path() && entry.function == node.text;
          });
      if (!is_entry) continue;
      file.findings().Strict("triton.no_jit_reached", {node.line, node.column_bytes},
                             {std::string(node.text), "the entry launches no kernel of its own",
                              "the incumbent is likely what torch does; launch a kernel"});
    }
  }
}

}  // namespace

Result<ParsedPython> ParsePython(const ScanEntry& entry, bundle::Mode mode, PythonParser& parser) {
  auto source = std::make_unique<SourceText>(entry.path, entry.content);
  Findings findings(mode, entry.path, source.get());
  ParsedPython file{std::move(source), std::move(findings), {}};
  RETURN_IF_ERROR(parser.Prepare());
  if (!CheckBeforeParsing(*file.source, file.findings)) return file;
  ASSIGN_OR_RETURN(PythonParse parse, parser.Parse(*file.source));
  switch (parse.status) {
    case PythonParseStatus::kOk:
      file.tree = std::move(parse.tree);
      break;
    case PythonParseStatus::kSyntax:
      ReportSyntax(parse, parser.version(), file);
      break;
    case PythonParseStatus::kReady:
    case PythonParseStatus::kLimit:
      file.findings.Floor("py.parse_limit", {},
                          {"parser", "the parser gave up: " + parse.message,
                           "write the file with smaller expressions and functions"});
      break;
  }
  return file;
}

void CheckPythonBundle(const ScanBundle& bundle, bundle::Mode mode,
                       std::vector<ParsedPython> parsed, ScanReport& report) {
  LocalModules modules;
  for (const ScanEntry& entry : bundle.entries) {
    if (entry.kind == bundle::EntryKind::kFile && LanguageOf(entry.path) == FileLanguage::kPython)
      modules.AddFile(entry.path);
  }
  std::vector<FileUnderRules> files;
  for (ParsedPython& file : parsed) {
    if (file.tree.size() > 0) {
      files.emplace_back(std::move(file));
    } else {
      std::ranges::move(file.findings.Take(), std::back_inserter(report.findings));
    }
  }
  const LocalExports none;
  LocalExports exports;
  for (FileUnderRules& file : files) file.Follow(modules, none);
  const bool linked = files.size() > 1 && mode == bundle::Mode::kStrict;
  if (linked) {
    for (const FileUnderRules& file : files) file.names().AddExports(exports);
    for (FileUnderRules& file : files) file.Follow(modules, exports);
  }
  for (FileUnderRules& file : files) file.Check(bundle, modules);
  AdviseWrappers(bundle, files);
  for (FileUnderRules& file : files) {
    report.files.push_back(file.Facts());
    std::ranges::move(file.findings().Take(), std::back_inserter(report.findings));
  }
}

}  // namespace cacheon::policy
