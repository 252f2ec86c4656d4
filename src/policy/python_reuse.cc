// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Containers that outlive a call and are written inside one with a tensor, or keyed by a tensor's
// identity: the shape of a result cache. A warning: honest workspaces look alike, and the dynamic
// checks decide.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "src/policy/python_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

class ReuseCheck {
 public:
  ReuseCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    const PythonNode& self = tree_[node];
    if (self.kind == K::kAssign || self.kind == K::kAnnAssign || self.kind == K::kAugAssign) {
      for (const F field : {F::kTargets, F::kTarget}) {
        for (const std::int32_t target : tree_.Children(node, field))
          Store(target, tree_.Child(node, F::kValue));
      }
    } else if (self.kind == K::kCall) {
      Method(node);
    } else if (self.kind == K::kFunctionDef) {
      CachedEntry(node);
    }
  }

 private:
  void Store(std::int32_t target, std::int32_t value) {
    if (value == kNoNode || file_.scopes.AtImport(target)) return;
    const std::int32_t owner = Owner(target);
    if (owner == kNoNode || !Outlives(owner, owner == target)) return;
    if (HoldsTensor(value) || (owner != target && NamesIdentity(target))) Report(owner);
  }

  void Method(std::int32_t node) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode || tree_[function].kind != K::kAttribute) return;
    if (!PythonRules().Has("reuse_method", tree_[function].text)) return;
    const std::int32_t owner = Owner(tree_.Child(function, F::kValue));
    if (owner == kNoNode || file_.scopes.AtImport(node) || !Outlives(owner, false)) return;
    for (const std::int32_t argument : tree_.Children(node, F::kArgs)) {
      if (HoldsTensor(argument)) return Report(owner);
    }
  }

  // The name at the root of `cache[key].field`.
  std::int32_t Owner(std::int32_t node) const {
    while (node != kNoNode &&
           (tree_[node].kind == K::kSubscript || tree_[node].kind == K::kAttribute)) {
      node = tree_.Child(node, F::kValue);
    }
    return node != kNoNode && tree_[node].kind == K::kName ? node : kNoNode;
  }

  // Module names, names of an enclosing function, and parameters with a mutable default. A plain
  // assignment counts only where `global` or `nonlocal` makes it reach outside.
  bool Outlives(std::int32_t name, bool plain) const {
    const ScopeId here = file_.scopes.ScopeOf(name);
    const ScopeId scope = file_.scopes.Resolve(here, tree_[name].text);
    if (scope == kNoScope) return false;
    if (scope != here) return true;
    const Binding* binding = file_.scopes.Find(scope, tree_[name].text);
    return !plain && binding->parameter && HasMutableDefault(binding->nodes[0]);
  }

  bool HasMutableDefault(std::int32_t parameter) const {
    const std::int32_t arguments = tree_[parameter].parent;
    const std::vector<std::int32_t> names = tree_.Children(arguments, F::kArgs);
    const std::vector<std::int32_t> values = tree_.Children(arguments, F::kDefaults);
    const auto at = std::ranges::find(names, parameter) - names.begin();
    const auto from_end = static_cast<std::ptrdiff_t>(names.size()) - at;
    if (from_end > static_cast<std::ptrdiff_t>(values.size())) return false;
    const K kind = tree_[values[values.size() - static_cast<std::size_t>(from_end)]].kind;
    return kind == K::kDict || kind == K::kList || kind == K::kSet || kind == K::kCall;
  }

  // A call into torch, a parameter as it is, or something derived from a tensor's identity.
  bool HoldsTensor(std::int32_t value) const {
    if (NamesIdentity(value) || CallsTorch(value)) return true;
    if (tree_[value].kind != K::kName) return false;
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(value), tree_[value].text);
    if (scope == kNoScope || file_.scopes.KindOf(scope) != ScopeKind::kFunction) return false;
    const Binding* binding = file_.scopes.Find(scope, tree_[value].text);
    if (binding->parameter) return true;
    return std::ranges::any_of(binding->nodes, [&](std::int32_t node) {
      const std::int32_t assigned = tree_.Child(tree_[node].parent, F::kValue);
      return assigned != kNoNode && CallsTorch(assigned);
    });
  }

  bool CallsTorch(std::int32_t value) const {
    for (std::int32_t i = value; i < tree_[value].end; ++i) {
      if (tree_[i].kind != K::kCall) continue;
      for (const std::string& name : file_.names.Of(tree_.Child(i, F::kFunc))) {
        if (DottedRoot(name) == "torch") return true;
      }
    }
    return false;
  }

  bool NamesIdentity(std::int32_t value) const {
    for (std::int32_t i = value; i < tree_[value].end; ++i) {
      const K kind = tree_[i].kind;
      if ((kind == K::kName && tree_[i].text == "id" && tree_[i].field == F::kFunc) ||
          (kind == K::kAttribute && PythonRules().Has("reuse_source", tree_[i].text) &&
           tree_[i].text != "id")) {
        return true;
      }
    }
    return false;
  }

  void CachedEntry(std::int32_t node) {
    const bool is_entry =
        std::ranges::any_of(file_.bundle.entry_points, [&](const ScanEntryPoint& entry) {
          return entry.source == file_.path && entry.function == tree_[node].text;
        });
    if (!is_entry) return;
    for (std::int32_t decorator : tree_.Children(node, F::kDecoratorList)) {
      if (tree_[decorator].kind == K::kCall) decorator = tree_.Child(decorator, F::kFunc);
      if (file_.names.MayBe(decorator, "cache_decorator")) Report(node);
    }
  }

  void Report(std::int32_t node) {
    findings_.Strict("py.torch_result_reuse", file_.PlaceOf(node),
                     {std::string(tree_[node].text),
                      fmt::format("{} keeps tensors between calls", tree_[node].text),
                      "allocate workspaces in prepare, and compute every result anew"});
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

void CheckResultReuse(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  ReuseCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

}  // namespace cacheon::policy
