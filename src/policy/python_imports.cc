// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "src/policy/python_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr std::string_view kValidator = "cacheon";

class ImportCheck {
 public:
  ImportCheck(const PythonFile& file, Findings& findings) : file_(file), findings_(findings) {}

  void Import(std::int32_t statement) {
    for (const std::int32_t alias : file_.tree.Children(statement, F::kNames)) {
      const std::string_view module = file_.tree[alias].text;
      const SourcePlace place = file_.PlaceOf(alias);
      if (IsLocal(module, place)) continue;
      if (!Denied(module, module, place) && !ReportUse(module, place, findings_))
        AllowList(module, module, place);
    }
  }

  void ImportFrom(std::int32_t statement) {
    const PythonNode& node = file_.tree[statement];
    const SourcePlace place = file_.PlaceOf(statement);
    const bool local = node.flag > 0 ? Relative(statement) : IsLocal(node.text, place);
    const bool denied = !local && Denied(node.text, node.text, place);
    for (const std::int32_t alias : file_.tree.Children(statement, F::kNames)) {
      const std::string_view name = file_.tree[alias].text;
      if (name == "*") {
        findings_.Strict("py.starimport", place,
                         {std::string(node.text), "a star import hides which names it binds",
                          "import the names that you use"});
      } else if (!local && !denied) {
        Imported(node.text, name, file_.PlaceOf(alias));
      }
    }
  }

 private:
  // One name of `from module import name`.
  void Imported(std::string_view module, std::string_view name, SourcePlace place) {
    const std::string dotted = fmt::format("{}.{}", module, name);
    const bool deserializes = (name == "load" || name == "loads") &&
                              PythonRules().Has("floor.deserialize_module", module);
    if (deserializes || PythonRules().Has("floor.escape_attr", name)) {
      findings_.Strict("py.importfrom_name", place,
                       {dotted, fmt::format("{} is refused under any name", dotted),
                        "a kernel needs no processes, native loading or deserialisation"});
      return;
    }
    if (Denied(dotted, dotted, place) || ReportUse(dotted, place, findings_)) return;
    AllowList(module, dotted, place);
  }

  bool Denied(std::string_view module, std::string_view symbol, SourcePlace place) {
    const std::string_view root = DottedRoot(module);
    if (PythonRules().Has("floor.import_denied", root)) {
      findings_.Floor("py.import_denied", place, Refused(symbol));
      return true;
    }
    if (root == kValidator) return Validator(module, symbol, place);
    if (!findings_.strict()) return false;
    if (!PythonRules().Has("import_denied", root) && !PythonRules().Has("import_denied", module))
      return false;
    findings_.Strict("py.import_denied", place, Refused(symbol));
    return true;
  }

  static FindingText Refused(std::string_view symbol) {
    return {
        std::string(symbol),
        fmt::format("importing {} is refused: it gives access to the network, processes, files, "
                    "native code or the interpreter",
                    symbol),
        "compute with torch, triton or cutlass and take inputs from the arguments"};
  }

  bool Validator(std::string_view module, std::string_view symbol, SourcePlace place) {
    const FindingText text = {std::string(symbol),
                              fmt::format("{} is part of the validator", symbol),
                              "import only the contract and slot modules"};
    const std::string_view rest =
        module.size() > kValidator.size() ? module.substr(kValidator.size() + 1) : "";
    if (rest.empty() || PythonRules().Has("floor.import_validator", DottedRoot(rest))) {
      findings_.Floor("py.import_validator", place, text);
      return true;
    }
    if (PythonRules().Has("validator_allowed", module)) return false;
    findings_.Strict("py.import_validator", place, text);
    return findings_.strict();
  }

  void AllowList(std::string_view module, std::string_view dotted, SourcePlace place) {
    for (const std::string_view name : {module, dotted}) {
      if (PythonRules().Has("import_allowed", name) || PythonRules().Has("validator_allowed", name))
        return;
    }
    findings_.Strict("py.import_not_allowed", place,
                     {std::string(module),
                      fmt::format("{} is not on the list of modules that kernels use", module),
                      "use torch, triton, cutlass and the plain standard modules"});
  }

  // True when the first part is the bundle's own; the whole must then be too.
  bool IsLocal(std::string_view module, SourcePlace place) {
    if (!file_.modules.HasRoot(module)) return false;
    if (!file_.modules.HasModule(module)) {
      findings_.Floor(
          "py.closure", place,
          {std::string(module),
           fmt::format("{} begins like a module of the bundle but is none of its files", module),
           "import files of the bundle by their own path"});
    }
    return true;
  }

  bool Relative(std::int32_t statement) {
    const PythonNode& node = file_.tree[statement];
    std::string package;
    bool inside = PackageOfRelative(file_.path, node.flag, package);
    if (!package.empty() && !node.text.empty()) package += '.';
    package += node.text;
    if (inside && !node.text.empty()) inside = file_.modules.HasModule(package);
    for (const std::int32_t alias : file_.tree.Children(statement, F::kNames)) {
      if (!inside || !node.text.empty() || file_.tree[alias].text == "*") continue;
      // `from . import name`: a file, or a name of the package's own __init__.py.
      const std::string module =
          package + (package.empty() ? "" : ".") + std::string(file_.tree[alias].text);
      inside = file_.modules.HasModule(module) || HasInit(package);
    }
    if (!inside) {
      const std::string symbol =
          std::string(static_cast<std::size_t>(node.flag), '.') + std::string(node.text);
      findings_.Floor(
          "py.closure", file_.PlaceOf(statement),
          {symbol, fmt::format("the relative import {} leads to no file of the bundle", symbol),
           "add the file to the bundle or correct the path"});
    }
    return true;
  }

  bool HasInit(std::string_view package) const {
    std::string path(package);
    for (char& c : path) {
      if (c == '.') c = '/';
    }
    path += path.empty() ? "__init__.py" : "/__init__.py";
    for (const ScanEntry& entry : file_.bundle.entries) {
      if (entry.path == path) return true;
    }
    return false;
  }

  const PythonFile& file_;
  Findings& findings_;
};

}  // namespace

void CheckImports(const PythonFile& file, Findings& findings) {
  ImportCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) {
    if (file.tree[i].kind == K::kImport) check.Import(i);
    if (file.tree[i].kind == K::kImportFrom) check.ImportFrom(i);
  }
}

}  // namespace cacheon::policy
