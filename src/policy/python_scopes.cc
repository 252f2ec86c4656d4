// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_scopes.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

bool IsFunction(K kind) {
  return kind == K::kFunctionDef || kind == K::kAsyncFunctionDef || kind == K::kLambda;
}

bool IsComprehension(K kind) {
  return kind == K::kListComp || kind == K::kSetComp || kind == K::kDictComp ||
         kind == K::kGeneratorExp;
}

template <typename Each>
void ForEachName(std::string_view names, const Each& each) {
  while (!names.empty()) {
    const auto comma = names.find(',');
    each(names.substr(0, comma));
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
  }
}

}  // namespace

std::string_view AliasBinding(const PythonTree& tree, std::int32_t alias) {
  const PythonNode& node = tree[alias];
  if (!node.other.empty()) return node.other;
  return node.text.substr(0, node.text.find('.'));
}

PythonScopes::PythonScopes(const PythonTree& tree)
    : scope_of_(static_cast<std::size_t>(tree.size()), kModuleScope),
      opened_by_(static_cast<std::size_t>(tree.size()), kNoScope) {
  NewScope(ScopeKind::kModule, kNoScope);
  for (std::int32_t i = 0; i < tree.size(); ++i) PlaceNode(tree, i);
  for (std::int32_t i = 0; i < tree.size(); ++i) Declare(tree, i);
  for (std::int32_t i = 0; i < tree.size(); ++i) BindNode(tree, i);
}

ScopeId PythonScopes::NewScope(ScopeKind kind, ScopeId parent) {
  scopes_.push_back({kind, parent, {}});
  return static_cast<ScopeId>(scopes_.size()) - 1;
}

void PythonScopes::PlaceNode(const PythonTree& tree, std::int32_t node) {
  const auto index = static_cast<std::size_t>(node);
  if (node > 0) scope_of_[index] = ScopeUnder(tree, node);
  const K kind = tree[node].kind;
  if (IsFunction(kind) || IsComprehension(kind)) {
    opened_by_[index] = NewScope(ScopeKind::kFunction, scope_of_[index]);
  } else if (kind == K::kClassDef) {
    opened_by_[index] = NewScope(ScopeKind::kClass, scope_of_[index]);
  }
}

// Decorators, defaults, annotations, bases and the first iterable of a comprehension are evaluated
// outside of what they belong to.
ScopeId PythonScopes::ScopeUnder(const PythonTree& tree, std::int32_t node) {
  const PythonNode& self = tree[node];
  const auto parent = static_cast<std::size_t>(self.parent);
  const PythonNode& above = tree[self.parent];
  const ScopeId outer = scope_of_[parent];
  const ScopeId inner = opened_by_[parent];
  if (IsFunction(above.kind))
    return self.field == F::kBody || self.field == F::kArgs ? inner : outer;
  if (above.kind == K::kClassDef) return self.field == F::kBody ? inner : outer;
  if (IsComprehension(above.kind)) return inner;
  const bool outside = (above.kind == K::kArguments &&
                        (self.field == F::kDefaults || self.field == F::kKwDefaults)) ||
                       (above.kind == K::kArg && self.field == F::kAnnotation) ||
                       (above.kind == K::kComprehension && self.field == F::kIter &&
                        tree.Child(above.parent, F::kGenerators) == self.parent);
  // Only an answer that no program has puts such a part at the module's level.
  return outside && outer != kModuleScope ? scopes_[static_cast<std::size_t>(outer)].parent : outer;
}

void PythonScopes::Declare(const PythonTree& tree, std::int32_t node) {
  const PythonNode& self = tree[node];
  if (self.kind != K::kGlobal && self.kind != K::kNonlocal) return;
  Scope& scope = scopes_[static_cast<std::size_t>(ScopeOf(node))];
  const ScopeId target =
      self.kind == K::kGlobal || scope.parent == kNoScope ? kModuleScope : scope.parent;
  ForEachName(self.text, [&](std::string_view name) { scope.elsewhere[name] = target; });
}

void PythonScopes::BindNode(const PythonTree& tree, std::int32_t node) {
  const PythonNode& self = tree[node];
  ScopeId scope = ScopeOf(node);
  switch (self.kind) {
    case K::kName: {
      if (self.loads()) return;
      // `:=` binds in the function around a comprehension.
      const bool walrus = tree[self.parent].kind == K::kNamedExpr;
      for (std::int32_t up = self.parent; walrus && up != kNoNode; up = tree[up].parent) {
        if (opened_by_[static_cast<std::size_t>(up)] != scope) continue;
        if (IsComprehension(tree[up].kind)) scope = scopes_[static_cast<std::size_t>(scope)].parent;
      }
      return Bind(scope, self.text, node);
    }
    case K::kFunctionDef:
    case K::kAsyncFunctionDef:
    case K::kClassDef:
    case K::kExceptHandler:
    case K::kMatchAs:
    case K::kMatchStar:
    case K::kMatchMapping:
    case K::kTypeVar:
      return Bind(scope, self.text, node);
    case K::kArg:
      return Bind(scope, self.text, node, true);
    case K::kAlias:
      return Bind(scope, AliasBinding(tree, node), node);
    default:
      return;
  }
}

void PythonScopes::Bind(ScopeId scope, std::string_view name, std::int32_t node, bool parameter) {
  if (name.empty()) return;
  const auto& elsewhere = scopes_[static_cast<std::size_t>(scope)].elsewhere;
  if (const auto found = elsewhere.find(name); found != elsewhere.end()) scope = found->second;
  Binding& binding = bindings_[{scope, name}];
  ++binding.count;
  binding.parameter |= parameter;
  binding.nodes.push_back(node);
}

bool PythonScopes::AtImport(std::int32_t node) const {
  ScopeId scope = ScopeOf(node);
  while (scope != kNoScope && KindOf(scope) == ScopeKind::kClass)
    scope = scopes_[static_cast<std::size_t>(scope)].parent;
  return scope == kModuleScope;
}

ScopeId PythonScopes::Resolve(ScopeId scope, std::string_view name) const {
  const ScopeId start = scope;
  while (scope > kModuleScope) {
    const Scope& here = scopes_[static_cast<std::size_t>(scope)];
    if (const auto found = here.elsewhere.find(name); found != here.elsewhere.end()) {
      scope = found->second;
      continue;
    }
    const bool visible = here.kind == ScopeKind::kFunction || scope == start;
    if (visible && Find(scope, name) != nullptr) return scope;
    scope = here.parent;
  }
  return Find(kModuleScope, name) != nullptr ? kModuleScope : kNoScope;
}

const Binding* PythonScopes::Find(ScopeId scope, std::string_view name) const {
  const auto found = bindings_.find({scope, name});
  return found == bindings_.end() ? nullptr : &found->second;
}

int PythonScopes::CountEverywhere(std::string_view name) const {
  int count = 0;
  for (const auto& [key, binding] : bindings_) {
    if (key.second == name) count += binding.count;
  }
  return count;
}

}  // namespace cacheon::policy
