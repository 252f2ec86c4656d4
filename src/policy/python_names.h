// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the expressions of a Python file may mean, as dotted names: `t.cuda.Event` is
// `torch.cuda.Event` after `import torch as t`, `x = sys` makes `x.modules` mean `sys.modules`, and
// a name that nothing binds is a builtin, `builtins.eval`.
//
// The answer is a guess to the safe side: every binding of a name counts, whatever the order. It
// follows imports, assignments, defaults, attributes, literal getattr, __import__ of literals,
// returns of local functions, literal containers and what other files of the bundle export; it does
// not follow values through calls.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/policy/python_facts.h"
#include "src/policy/python_scopes.h"

namespace cacheon::policy {

// Names of the bundle's own modules begin with this: `:helper.x` is x of helper.py.
inline constexpr char kLocalMark = ':';

// True when a dotted name stands for something that was imported from outside the bundle.
bool IsForeign(std::string_view dotted);

// The modules of a bundle: "pkg.mod" for pkg/mod.py, "pkg" for its folder.
class LocalModules {
 public:
  void AddFile(std::string_view path);
  bool HasModule(std::string_view dotted) const { return modules_.contains(dotted); }
  // True when the first part of a dotted name is a file or folder of the bundle.
  bool HasRoot(std::string_view dotted) const;

 private:
  std::set<std::string, std::less<>> modules_;
};

// The module name of a file: "pkg.mod"; "pkg" for pkg/__init__.py.
std::string ModuleOfFile(std::string_view path);
// The package that a relative import of `level` dots in that file counts from; false when there are
// more dots than folders.
bool PackageOfRelative(std::string_view path, int level, std::string& package);

// For each local name (":helper.x") what it may mean.
using LocalExports = std::map<std::string, std::vector<std::string>, std::less<>>;

class PythonNames {
 public:
  PythonNames(const PythonTree& tree, const PythonScopes& scopes, std::string_view path,
              const LocalModules& modules, const LocalExports& exports);

  // The dotted names that an expression may mean; often one, empty when unknown.
  const std::vector<std::string>& Of(std::int32_t node) const;
  // True when one of them is in a section of the Python rules; `which` is then the first.
  bool MayBe(std::int32_t node, std::string_view section, std::string* which = nullptr) const;
  // The string that an expression certainly is: a literal, or literals joined by +, f-string or
  // join; or a name that is bound once, to such an expression. `assembled`: not written as one
  // literal.
  bool ConstantString(std::int32_t node, std::string& value, bool& assembled) const;
  // What this file's module-level names may mean elsewhere.
  void AddExports(LocalExports& exports) const;

 private:
  using Names = std::vector<std::string>;
  using Key = std::pair<ScopeId, std::string>;

  void BindImports();
  void BindImport(std::int32_t statement);
  void BindImportFrom(std::int32_t statement);
  bool Round();
  void Evaluate(std::int32_t node);
  void EvaluateName(std::int32_t node, Names& names) const;
  void EvaluateAttribute(const Names& base, std::string_view attribute, Names& names) const;
  void EvaluateCall(std::int32_t node, Names& names) const;
  void EvaluateSubscript(std::int32_t node, Names& names) const;
  void AddAll(Names& names, const Names& from) const;
  void Insert(Names& names, std::string name) const;

  bool Flow(std::int32_t node);
  bool FlowTo(std::int32_t target, std::int32_t value);
  bool FlowNames(std::int32_t target, const Names& names);
  bool FlowDefaults(std::int32_t arguments);
  bool FlowReturn(std::int32_t node);
  bool Merge(Names& into, const Names& from);

  const PythonTree& tree_;
  const PythonScopes& scopes_;
  std::string path_;
  const LocalModules& modules_;
  const LocalExports& exports_;
  std::vector<Names> of_;
  std::map<Key, Names> bound_;
  std::map<std::string, Names, std::less<>> attributes_;  // of any object: `self.x = sys`
  std::map<std::string, Names, std::less<>> returns_;     // of functions by name
};

}  // namespace cacheon::policy
