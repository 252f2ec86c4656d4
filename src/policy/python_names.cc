// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_names.h"

#include <algorithm>
#include <utility>

#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr int kRounds = 5;               // of alias following; chains longer than this are rare
constexpr std::size_t kMaxMeanings = 8;  // of one expression
constexpr std::size_t kMaxNameBytes = 256;

bool IsCallOf(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool IsForeign(std::string_view dotted) {
  return !dotted.starts_with(kLocalMark) && !dotted.starts_with("builtins.");
}

PythonNames::PythonNames(const PythonTree& tree, const PythonScopes& scopes, std::string_view path,
                         const LocalModules& modules, const LocalExports& exports)
    : tree_(tree),
      scopes_(scopes),
      path_(path),
      modules_(modules),
      exports_(exports),
      of_(static_cast<std::size_t>(tree.size())) {
  BindImports();
  for (int round = 0; round < kRounds; ++round) {
    if (!Round()) break;
  }
}

const std::vector<std::string>& PythonNames::Of(std::int32_t node) const {
  static const Names kNothing;
  return node == kNoNode ? kNothing : of_[static_cast<std::size_t>(node)];
}

bool PythonNames::MayBe(std::int32_t node, std::string_view section, std::string* which) const {
  const NameList& list = PythonRules().Section(section);
  for (const std::string& name : Of(node)) {
    if (!list.Has(name)) continue;
    if (which != nullptr) *which = name;
    return true;
  }
  return false;
}

void PythonNames::BindImports() {
  for (std::int32_t i = 0; i < tree_.size(); ++i) {
    if (tree_[i].kind == K::kImport) BindImport(i);
    if (tree_[i].kind == K::kImportFrom) BindImportFrom(i);
  }
}

void PythonNames::BindImport(std::int32_t statement) {
  for (const std::int32_t alias : tree_.Children(statement, F::kNames)) {
    const PythonNode& node = tree_[alias];
    std::string meaning(node.other.empty() ? AliasBinding(tree_, alias) : node.text);
    if (modules_.HasRoot(node.text)) meaning.insert(0, 1, kLocalMark);
    const ScopeId scope = scopes_.Resolve(scopes_.ScopeOf(alias), AliasBinding(tree_, alias));
    Insert(bound_[{scope, std::string(AliasBinding(tree_, alias))}], std::move(meaning));
  }
}

void PythonNames::BindImportFrom(std::int32_t statement) {
  const PythonNode& from = tree_[statement];
  std::string module(from.text);
  if (from.flag > 0) {
    std::string package;
    PackageOfRelative(path_, from.flag, package);
    if (!package.empty() && !module.empty()) package += '.';
    module.insert(0, kLocalMark + package);
  } else if (modules_.HasRoot(module)) {
    module.insert(0, 1, kLocalMark);
  }
  const bool dotted = module.size() > 1 || from.flag == 0;
  for (const std::int32_t alias : tree_.Children(statement, F::kNames)) {
    const std::string_view binding = AliasBinding(tree_, alias);
    const ScopeId scope = scopes_.Resolve(scopes_.ScopeOf(alias), binding);
    Insert(bound_[{scope, std::string(binding)}],
           module + (dotted ? "." : "") + std::string(tree_[alias].text));
  }
}

// One pass over all nodes, children first, and then over all that moves a value to a name. True
// when some name has gained a meaning.
bool PythonNames::Round() {
  for (std::int32_t i = tree_.size() - 1; i >= 0; --i) Evaluate(i);
  bool changed = false;
  for (std::int32_t i = 0; i < tree_.size(); ++i) changed |= Flow(i);
  return changed;
}

void PythonNames::Insert(Names& names, std::string name) const {
  if (names.size() >= kMaxMeanings || name.size() > kMaxNameBytes) return;
  if (std::ranges::find(names, name) != names.end()) return;
  const auto exported = exports_.find(name);
  names.push_back(std::move(name));
  if (exported == exports_.end()) return;
  for (const std::string& meaning : exported->second) {
    if (names.size() < kMaxMeanings && std::ranges::find(names, meaning) == names.end())
      names.push_back(meaning);
  }
}

void PythonNames::AddAll(Names& names, const Names& from) const {
  for (const std::string& name : from) Insert(names, name);
}

void PythonNames::Evaluate(std::int32_t node) {
  Names names;
  const PythonNode& self = tree_[node];
  switch (self.kind) {
    case K::kName:
      EvaluateName(node, names);
      break;
    case K::kAttribute:
      EvaluateAttribute(Of(tree_.Child(node, F::kValue)), self.text, names);
      break;
    case K::kCall:
      EvaluateCall(node, names);
      break;
    case K::kSubscript:
      EvaluateSubscript(node, names);
      break;
    case K::kNamedExpr:
    case K::kStarred:
    case K::kAwait:
      AddAll(names, Of(tree_.Child(node, F::kValue)));
      break;
    case K::kIfExp:
      AddAll(names, Of(tree_.Child(node, F::kBody)));
      AddAll(names, Of(tree_.Child(node, F::kOrelse)));
      break;
    case K::kBoolOp:
      for (const std::int32_t value : tree_.Children(node, F::kValues)) AddAll(names, Of(value));
      break;
    case K::kLambda:
      break;
    default:
      break;
  }
  of_[static_cast<std::size_t>(node)] = std::move(names);
}

void PythonNames::EvaluateName(std::int32_t node, Names& names) const {
  const std::string name(tree_[node].text);
  const ScopeId scope = scopes_.Resolve(scopes_.ScopeOf(node), name);
  if (scope != kNoScope) {
    const auto found = bound_.find({scope, name});
    if (found != bound_.end()) AddAll(names, found->second);
  }
  // A binding of the module or a class may not have run yet; then the builtin is meant.
  if (scope == kNoScope || scopes_.KindOf(scope) != ScopeKind::kFunction)
    Insert(names, "builtins." + name);
}

void PythonNames::EvaluateAttribute(const Names& base, std::string_view attribute,
                                    Names& names) const {
  const bool module = PythonRules().Has("reexported", attribute);
  for (const std::string& name : base) {
    Insert(names, name + "." + std::string(attribute));
    if (module && IsForeign(name)) Insert(names, std::string(attribute));
  }
  const auto found = attributes_.find(attribute);
  if (found != attributes_.end()) AddAll(names, found->second);
}

void PythonNames::EvaluateCall(std::int32_t node, Names& names) const {
  const std::int32_t function = tree_.Child(node, F::kFunc);
  const Names& called = Of(function);
  const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
  std::string text;
  bool assembled = false;
  if (IsCallOf(called, "builtins.getattr") && arguments.size() >= 2 &&
      ConstantString(arguments[1], text, assembled)) {
    EvaluateAttribute(Of(arguments[0]), text, names);
    if (arguments.size() > 2) AddAll(names, Of(arguments[2]));
  } else if ((IsCallOf(called, "builtins.__import__") ||
              IsCallOf(called, "importlib.import_module")) &&
             !arguments.empty() && ConstantString(arguments[0], text, assembled)) {
    Insert(names, text);
  }
  if (function != kNoNode && tree_[function].kind == K::kName) {
    const auto found = returns_.find(tree_[function].text);
    if (found != returns_.end()) AddAll(names, found->second);
  }
}

void PythonNames::EvaluateSubscript(std::int32_t node, Names& names) const {
  const std::int32_t base = tree_.Child(node, F::kValue);
  if (base == kNoNode) return;
  const K kind = tree_[base].kind;
  if (kind == K::kList || kind == K::kTuple) {
    for (const std::int32_t item : tree_.Children(base, F::kElts)) AddAll(names, Of(item));
  } else if (kind == K::kDict) {
    for (const std::int32_t item : tree_.Children(base, F::kValues)) AddAll(names, Of(item));
  }
  std::string key;
  bool assembled = false;
  if (!ConstantString(tree_.Child(node, F::kSlice), key, assembled)) return;
  for (const std::string& name : Of(base)) {
    if (name == "sys.modules") Insert(names, key);
    if (name == "builtins.__builtins__") Insert(names, "builtins." + key);
  }
}

bool PythonNames::Merge(Names& into, const Names& from) {
  const std::size_t before = into.size();
  AddAll(into, from);
  return into.size() != before;
}

bool PythonNames::Flow(std::int32_t node) {
  const PythonNode& self = tree_[node];
  switch (self.kind) {
    case K::kAssign: {
      bool changed = false;
      for (const std::int32_t target : tree_.Children(node, F::kTargets))
        changed |= FlowTo(target, tree_.Child(node, F::kValue));
      return changed;
    }
    case K::kAnnAssign:
    case K::kNamedExpr:
      return FlowTo(tree_.Child(node, F::kTarget), tree_.Child(node, F::kValue));
    case K::kFor:
    case K::kAsyncFor:
    case K::kComprehension: {
      const std::int32_t iterable = tree_.Child(node, F::kIter);
      bool changed = false;
      for (const std::int32_t item : tree_.Children(iterable, F::kElts))
        changed |= FlowTo(tree_.Child(node, F::kTarget), item);
      return changed;
    }
    case K::kWithitem:
      return FlowTo(tree_.Child(node, F::kOptionalVars), tree_.Child(node, F::kContextExpr));
    case K::kArguments:
      return FlowDefaults(node);
    case K::kReturn:
      return FlowReturn(node);
    default:
      return false;
  }
}

bool PythonNames::FlowTo(std::int32_t target, std::int32_t value) {
  if (target == kNoNode || value == kNoNode) return false;
  const auto is_row = [&](std::int32_t node) {
    return tree_[node].kind == K::kTuple || tree_[node].kind == K::kList;
  };
  if (!is_row(target)) {
    bool changed = FlowNames(target, Of(value));
    if (tree_[value].kind == K::kLambda && tree_[target].kind == K::kName)
      changed |= Merge(returns_[std::string(tree_[target].text)], Of(tree_.Child(value, F::kBody)));
    return changed;
  }
  // Unpacking: any item may land in any target, since a star shifts them.
  bool changed = false;
  for (const std::int32_t part : tree_.Children(target, F::kElts)) {
    if (is_row(part)) continue;
    const std::int32_t name = tree_[part].kind == K::kStarred ? tree_.Child(part, F::kValue) : part;
    for (const std::int32_t item : tree_.Children(value, F::kElts))
      changed |= FlowNames(name, Of(item));
  }
  return changed;
}

bool PythonNames::FlowNames(std::int32_t target, const Names& names) {
  if (names.empty() || target == kNoNode) return false;
  const PythonNode& node = tree_[target];
  if (node.kind == K::kAttribute) return Merge(attributes_[std::string(node.text)], names);
  if (node.kind != K::kName && node.kind != K::kArg) return false;
  const ScopeId scope = scopes_.Resolve(scopes_.ScopeOf(target), node.text);
  bool changed = Merge(bound_[{scope, std::string(node.text)}], names);
  // A class attribute is also reached through the class and its objects.
  if (scope != kNoScope && scopes_.KindOf(scope) == ScopeKind::kClass)
    changed |= Merge(attributes_[std::string(node.text)], names);
  return changed;
}

bool PythonNames::FlowDefaults(std::int32_t arguments) {
  std::vector<std::int32_t> names = tree_.Children(arguments, F::kPosonlyargs);
  std::ranges::copy(tree_.Children(arguments, F::kArgs), std::back_inserter(names));
  const std::vector<std::int32_t> values = tree_.Children(arguments, F::kDefaults);
  bool changed = false;
  for (std::size_t i = 0; i < values.size() && i < names.size(); ++i)
    changed |= FlowNames(names[names.size() - 1 - i], Of(values[values.size() - 1 - i]));
  for (const std::int32_t name : tree_.Children(arguments, F::kKwonlyargs)) {
    for (const std::int32_t value : tree_.Children(arguments, F::kKwDefaults))
      changed |= FlowNames(name, Of(value));
  }
  return changed;
}

bool PythonNames::FlowReturn(std::int32_t node) {
  const Names& names = Of(tree_.Child(node, F::kValue));
  if (names.empty()) return false;
  std::int32_t function = tree_.Ancestor(node, K::kFunctionDef);
  if (function == kNoNode) function = tree_.Ancestor(node, K::kAsyncFunctionDef);
  if (function == kNoNode) return false;
  return Merge(returns_[std::string(tree_[function].text)], names);
}

void PythonNames::AddExports(LocalExports& exports) const {
  const std::string prefix = kLocalMark + ModuleOfFile(path_) + ".";
  for (const auto& [key, names] : bound_) {
    if (key.first != kModuleScope) continue;
    Names& meanings = exports[prefix + key.second];
    for (const std::string& name : names) {
      if (std::ranges::find(meanings, name) == meanings.end() && meanings.size() < kMaxMeanings)
        meanings.push_back(name);
    }
  }
}

}  // namespace cacheon::policy
