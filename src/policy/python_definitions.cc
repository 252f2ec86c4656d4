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

class DefinitionCheck {
 public:
  DefinitionCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    switch (tree_[node].kind) {
      case K::kFunctionDef:
      case K::kAsyncFunctionDef:
        MagicName(node);
        return Decorators(node);
      case K::kClassDef:
        Metaclass(node);
        return Decorators(node);
      case K::kName:
        if (!tree_[node].loads() && file_.scopes.AtImport(node)) MagicName(node);
        return;
      case K::kCall:
        return DynamicClass(node);
      default:
        return;
    }
  }

 private:
  void MagicName(std::int32_t node) {
    const std::string_view name = tree_[node].text;
    const FindingText text{std::string(name),
                           fmt::format("{} changes what using an object means", name),
                           "plain classes and functions serve a kernel"};
    if (PythonRules().Has("magic_def", name)) {
      findings_.Strict("py.magic_def", file_.PlaceOf(node), text);
    } else if (PythonRules().Has("magic_def_warned", name)) {
      findings_.Strict("py.magic_def", file_.PlaceOf(node), text, Severity::kWarning);
    }
  }

  void Metaclass(std::int32_t node) {
    for (const std::int32_t keyword : tree_.Children(node, F::kKeywords)) {
      if (tree_[keyword].text != "metaclass") continue;
      findings_.Strict("py.magic_def", file_.PlaceOf(keyword),
                       {"metaclass", "a metaclass changes what defining a class means",
                        "plain classes and functions serve a kernel"});
    }
  }

  // `type(name, bases, members)` is a class statement in disguise.
  void DynamicClass(std::int32_t node) {
    if (tree_.Children(node, F::kArgs).size() < 3) return;
    for (const std::string& name : file_.names.Of(tree_.Child(node, F::kFunc))) {
      if (name != "builtins.type" && name != "types.new_class") continue;
      findings_.Strict(
          "py.magic_def", file_.PlaceOf(node),
          {std::string(DottedLeaf(name)), "this call makes a class whose members are hidden",
           "write a class statement"});
    }
  }

  void Decorators(std::int32_t node) {
    for (const std::int32_t decorator : tree_.Children(node, F::kDecoratorList)) {
      const std::int32_t named =
          tree_[decorator].kind == K::kCall ? tree_.Child(decorator, F::kFunc) : decorator;
      if (named == kNoNode) continue;
      if (file_.names.MayBe(named, "autotune")) Autotune(decorator);
      if (file_.names.MayBe(named, "decorator") || IsOwn(named)) continue;
      const std::string symbol = SymbolOf(tree_, named);
      findings_.Strict(
          "py.decorator", file_.PlaceOf(decorator),
          {symbol, fmt::format("the decorator {} is not on the list", symbol),
           "use triton.jit, cute.jit, cute.kernel, dataclass or a function of your own"});
    }
  }

  // A function of the bundle, or a part of one: `@value.setter` of a local property.
  bool IsOwn(std::int32_t decorator) const {
    for (const std::string& name : file_.names.Of(decorator)) {
      if (name[0] == kLocalMark) return true;
    }
    while (tree_[decorator].kind == K::kAttribute) {
      decorator = tree_.Child(decorator, F::kValue);
      if (decorator == kNoNode) return false;
    }
    if (tree_[decorator].kind != K::kName) return false;
    const std::string_view name = tree_[decorator].text;
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(decorator), name);
    if (scope == kNoScope) return false;
    for (const std::int32_t node : file_.scopes.Find(scope, name)->nodes) {
      const K kind = tree_[node].kind;
      if (kind != K::kFunctionDef && kind != K::kClassDef) return false;
    }
    return true;
  }

  void Autotune(std::int32_t decorator) {
    findings_.Strict("triton.autotune", file_.PlaceOf(decorator),
                     {"triton.autotune",
                      "autotuning picks by noise, allocates on first use and cannot be captured",
                      "choose the configuration from the shapes on the host"});
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

// What runs when the file is imported.
class TopLevelCheck {
 public:
  TopLevelCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    if (node == 0 || !file_.scopes.AtImport(node)) return;
    switch (tree_[node].kind) {
      case K::kCall:
        return Call(node);
      case K::kIf:
        if (!IsTypeChecking(tree_.Child(node, F::kTest))) Statement(node, "if");
        return;
      case K::kFor:
      case K::kAsyncFor:
        return Statement(node, "for");
      case K::kWhile:
        return Statement(node, "while");
      case K::kWith:
      case K::kAsyncWith:
        return Statement(node, "with");
      case K::kTry:
      case K::kTryStar:
        return Statement(node, "try");
      case K::kMatch:
        return Statement(node, "match");
      case K::kRaise:
        return Statement(node, "raise");
      case K::kAssert:
        return Statement(node, "assert");
      case K::kDelete:
        return Statement(node, "del");
      default:
        return;
    }
  }

 private:
  void Statement(std::int32_t node, std::string_view word) {
    findings_.Strict(
        "py.toplevel", file_.PlaceOf(node),
        {std::string(word), fmt::format("a {} statement runs when the file is imported", word),
         "move it into a function"});
  }

  void Call(std::int32_t node) {
    if (IsDecorator(node)) return;
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode || file_.names.MayBe(function, "toplevel_call")) return;
    const std::string symbol = SymbolOf(tree_, function);
    findings_.Strict("py.toplevel", file_.PlaceOf(node),
                     {symbol, fmt::format("{} is called when the file is imported", symbol),
                      "move the call into prepare or the entry"});
  }

  bool IsDecorator(std::int32_t node) const { return tree_[node].field == F::kDecoratorList; }

  bool IsTypeChecking(std::int32_t test) const {
    if (test == kNoNode) return false;
    for (const std::string& name : file_.names.Of(test)) {
      if (name == "typing.TYPE_CHECKING") return true;
    }
    return false;
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

void CheckDefinitions(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  DefinitionCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

void CheckTopLevel(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  TopLevelCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

}  // namespace cacheon::policy
