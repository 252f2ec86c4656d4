// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// `.compile(...)` is refused, but for cutlass.cute.compile of an object. A receiver is admitted
// only when nothing in the file could make it mean something else, and no argument may be source
// text.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/policy/python_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

class CompileCheck {
 public:
  CompileCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings), spoiled_(Spoiled()) {}

  void Call(std::int32_t node) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode || tree_[function].kind != K::kAttribute ||
        tree_[function].text != "compile") {
      return;
    }
    std::string_view why = spoiled_;
    if (why.empty()) why = Receiver(tree_.Child(function, F::kValue));
    if (why.empty()) why = Arguments(node);
    if (why.empty()) return;
    findings_.Floor(
        "py.compile_not_admitted", file_.PlaceOf(function),
        {SymbolOf(tree_, function), fmt::format("this compile is not admitted: {}", why),
         "`import cutlass.cute as cute` once, and `cute.compile(kernel, ...)` with objects"});
  }

 private:
  // What anywhere in the file makes every binding doubtful.
  std::string_view Spoiled() const {
    if (file_.modules.HasRoot("cutlass")) return "the bundle has a module cutlass of its own";
    for (std::int32_t i = 0; i < tree_.size(); ++i) {
      const PythonNode& node = tree_[i];
      if (node.kind == K::kAlias && node.text == "*") return "the file has a star import";
      const bool reflects =
          (node.kind == K::kName && PythonRules().Has("compile_reflection", node.text)) ||
          ((node.kind == K::kName || node.kind == K::kAttribute) &&
           PythonRules().Has("compile_reflection_attr", node.text)) ||
          (node.kind == K::kAttribute && SymbolOf(tree_, i) == "sys.modules");
      if (reflects) return "the file reflects on namespaces";
    }
    return {};
  }

  std::string_view Receiver(std::int32_t receiver) const {
    constexpr std::string_view kOnce =
        "its receiver is not bound once, by an import of cutlass.cute";
    if (receiver == kNoNode || tree_[receiver].kind != K::kName) return kOnce;
    const std::string_view name = tree_[receiver].text;
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(receiver), name);
    if (file_.scopes.CountEverywhere(name) != 1 || scope == kNoScope) return kOnce;
    const PythonNode& alias = tree_[file_.scopes.Find(scope, name)->nodes[0]];
    const bool plain = alias.kind == K::kAlias && tree_[alias.parent].kind == K::kImport &&
                       !alias.other.empty() && PythonRules().Has("compile_receiver", alias.text);
    return plain ? std::string_view() : kOnce;
  }

  std::string_view Arguments(std::int32_t node) const {
    const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
    if (arguments.empty() || tree_[arguments[0]].kind == K::kStarred)
      return "its first argument must be an object that is written out";
    if (IsText(arguments[0])) return "its first argument is text";
    for (const std::int32_t keyword : tree_.Children(node, F::kKeywords)) {
      if (IsText(tree_.Child(keyword, F::kValue))) return "a keyword is text";
    }
    return {};
  }

  // A literal in both modes; in strict mode also a name that is certainly a string.
  bool IsText(std::int32_t node) const {
    const PythonNode& value = tree_[node];
    if (value.kind == K::kJoinedStr) return true;
    if (value.kind == K::kConstant) {
      return value.constant() == PythonConstant::kStr || value.constant() == PythonConstant::kBytes;
    }
    std::string text;
    bool assembled = false;
    return findings_.strict() && file_.names.ConstantString(node, text, assembled);
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
  std::string_view spoiled_;
};

}  // namespace

void CheckCompile(const PythonFile& file, Findings& findings) {
  CompileCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) {
    if (file.tree[i].kind == K::kCall) check.Call(i);
  }
}

}  // namespace cacheon::policy
