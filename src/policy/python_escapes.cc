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

constexpr std::string_view kNoReflection =
    "name what you mean; kernels need no reflection, files, processes or generated code";

bool IsAttributeAccess(std::string_view name) {
  return name == "getattr" || name == "setattr" || name == "delattr";
}

class EscapeCheck {
 public:
  EscapeCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    switch (tree_[node].kind) {
      case K::kName:
        return Name(node);
      case K::kAttribute:
        return Attribute(node, tree_[node].text);
      case K::kSubscript:
        return Subscript(node);
      case K::kCall:
        return Call(node);
      case K::kConstant:
        return Constant(node);
      default:
        return;
    }
  }

 private:
  bool IsCallee(std::int32_t node) const {
    return tree_[node].field == F::kFunc && tree_[tree_[node].parent].kind == K::kCall;
  }

  void Name(std::int32_t node) {
    const std::string name(tree_[node].text);
    const bool callee = IsCallee(node);
    if (callee && PythonRules().Has("floor.builtin", name)) {
      findings_.Floor(
          "py.builtin", file_.PlaceOf(node),
          {name, fmt::format("calling {} is refused", name), std::string(kNoReflection)});
    } else if (PythonRules().Has("floor.dyncode_name", name)) {
      findings_.Floor("py.dyncode", file_.PlaceOf(node),
                      {name, fmt::format("the name {} stands for code made at run time", name),
                       std::string(kNoReflection)});
    } else if (PythonRules().Has("builtin_ref", name) && tree_[node].loads()) {
      Reference(node, name, callee);
    }
  }

  // A builtin that is passed around escapes every check of its calls.
  void Reference(std::int32_t node, const std::string& name, bool callee) {
    if (callee && IsAttributeAccess(name)) return;
    if (InSubscript(node) && PythonRules().Has("floor.dunder_subscript", name)) return;
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(node), name);
    if (scope != kNoScope && file_.scopes.KindOf(scope) == ScopeKind::kFunction) return;
    const std::int32_t call = tree_[node].parent;
    if (tree_[call].kind == K::kCall && IsPartial(tree_.Child(call, F::kFunc))) {
      findings_.Strict("py.indirect_attr", file_.PlaceOf(node),
                       {name, fmt::format("{} bound into a partial hides what it reaches", name),
                        std::string(kNoReflection)});
      return;
    }
    findings_.Strict(
        "py.builtin_ref", file_.PlaceOf(node),
        {name, fmt::format("{} is used as a value, so that its calls cannot be checked", name),
         std::string(kNoReflection)});
  }

  bool InSubscript(std::int32_t node) const {
    return tree_[node].field == F::kValue && tree_[tree_[node].parent].kind == K::kSubscript;
  }

  bool IsPartial(std::int32_t function) const {
    for (const std::string& name : file_.names.Of(function)) {
      if (name == "functools.partial" || name == "functools.partialmethod") return true;
    }
    return false;
  }

  // `node` is an attribute, or a getattr call with that literal.
  void Attribute(std::int32_t node, std::string_view attribute) {
    const bool spelled = tree_[node].kind == K::kAttribute;
    const std::string symbol = spelled ? SymbolOf(tree_, node) : std::string(attribute);
    const SourcePlace place = file_.PlaceOf(node);
    const auto report = [&](Code code, std::string message) {
      FindingText text{symbol, std::move(message), std::string(kNoReflection)};
      spelled ? findings_.Floor(code, place, std::move(text))
              : findings_.Strict(code, place, std::move(text));
    };
    if (PythonRules().Has("floor.dunder", attribute)) {
      report("py.dunder", fmt::format("{} opens the interpreter's internals", attribute));
    } else if (PythonRules().Has("floor.escape_attr", attribute)) {
      report("py.escape_attr", fmt::format("{} starts processes or loads native code", attribute));
    } else if (attribute == "load" || attribute == "loads") {
      Deserialize(node);
    }
  }

  void Subscript(std::int32_t node) {
    const std::int32_t base = tree_.Child(node, F::kValue);
    if (base == kNoNode || tree_[base].kind != K::kName) return;
    if (!PythonRules().Has("floor.dunder_subscript", tree_[base].text)) return;
    findings_.Floor("py.dunder", file_.PlaceOf(node),
                    {std::string(tree_[base].text),
                     fmt::format("{} opens the interpreter's internals", tree_[base].text),
                     std::string(kNoReflection)});
  }

  // The floor knows the module by its usual name and looks at calls; strict mode follows aliases.
  void Deserialize(std::int32_t node) {
    const std::int32_t base = tree_.Child(node, F::kValue);
    if (base == kNoNode) return;
    const FindingText text{SymbolOf(tree_, node),
                           "loading objects can run code that the file holds",
                           "take weights and inputs from the arguments"};
    const bool by_name = tree_[base].kind == K::kName && IsCallee(node) &&
                         PythonRules().Has("floor.deserialize_module", tree_[base].text);
    if (by_name) return findings_.Floor("py.deserialize", file_.PlaceOf(node), text);
    if (file_.names.MayBe(base, "floor.deserialize_module"))
      findings_.Strict("py.deserialize", file_.PlaceOf(node), text);
  }

  void Call(std::int32_t node) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode) return;
    const std::string_view name = tree_[function].text;
    if (tree_[function].kind == K::kName && IsAttributeAccess(name)) DynamicAttribute(node, name);
    if (tree_[function].kind == K::kAttribute && name != "compile" &&
        PythonRules().Has("floor.dyncode_attr", name)) {
      findings_.Floor("py.dyncode", file_.PlaceOf(function),
                      {SymbolOf(tree_, function),
                       fmt::format("a call of {} makes or loads code at run time", name),
                       std::string(kNoReflection)});
    }
  }

  void DynamicAttribute(std::int32_t node, std::string_view name) {
    const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
    const bool literal = arguments.size() >= 2 && tree_[arguments[1]].is_string() &&
                         tree_[arguments[0]].kind != K::kStarred;
    if (literal) return Attribute(node, tree_[arguments[1]].text);
    findings_.Floor("py.dynattr", file_.PlaceOf(node),
                    {std::string(name), fmt::format("{} needs a literal attribute name", name),
                     "write the attribute, or choose among literal names with if"});
  }

  void Constant(std::int32_t node) {
    if (!tree_[node].is_string()) return;
    if (!PythonRules().Has("floor.dyncode_string", tree_[node].text)) return;
    findings_.Floor(
        "py.dyncode", file_.PlaceOf(node),
        {std::string(tree_[node].text),
         fmt::format("the string \"{}\" names a way to import at run time", tree_[node].text),
         std::string(kNoReflection)});
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

void CheckEscapes(const PythonFile& file, Findings& findings) {
  EscapeCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

}  // namespace cacheon::policy
