// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which scope each node of a Python file belongs to, and which names each scope binds.

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "src/policy/python_facts.h"

namespace cacheon::policy {

enum class ScopeKind : std::uint8_t { kModule, kClass, kFunction };  // comprehensions are functions

using ScopeId = std::int32_t;
inline constexpr ScopeId kModuleScope = 0;
inline constexpr ScopeId kNoScope = -1;

// What one name of one scope may be bound to.
struct Binding {
  int count = 0;  // bindings in the source, parameters and `del` included
  bool parameter = false;
  std::vector<std::int32_t> nodes;  // the nodes that bind it
};

class PythonScopes {
 public:
  explicit PythonScopes(const PythonTree& tree);

  ScopeId ScopeOf(std::int32_t node) const { return scope_of_[static_cast<std::size_t>(node)]; }
  ScopeKind KindOf(ScopeId scope) const { return scopes_[static_cast<std::size_t>(scope)].kind; }
  // True in module and class bodies: code that runs while the file is imported.
  bool AtImport(std::int32_t node) const;

  // The scope whose binding a use of `name` in `scope` means. A name that no enclosing function
  // binds is looked up in the module; kNoScope when that has none either.
  ScopeId Resolve(ScopeId scope, std::string_view name) const;
  // nullptr when the scope does not bind it.
  const Binding* Find(ScopeId scope, std::string_view name) const;
  // Bindings of the name in all scopes of the file.
  int CountEverywhere(std::string_view name) const;

 private:
  struct Scope {
    ScopeKind kind;
    ScopeId parent;
    std::map<std::string_view, ScopeId> elsewhere;  // `global` and `nonlocal` names
  };

  ScopeId NewScope(ScopeKind kind, ScopeId parent);
  void PlaceNode(const PythonTree& tree, std::int32_t node);
  ScopeId ScopeUnder(const PythonTree& tree, std::int32_t node);
  void Declare(const PythonTree& tree, std::int32_t node);
  void BindNode(const PythonTree& tree, std::int32_t node);
  void Bind(ScopeId scope, std::string_view name, std::int32_t node, bool parameter = false);

  std::vector<Scope> scopes_;
  std::vector<ScopeId> scope_of_;
  std::vector<ScopeId> opened_by_;  // the scope that a node opens, or kNoScope
  std::map<std::pair<ScopeId, std::string_view>, Binding> bindings_;
};

// The binding name of an alias node: asname, or the part that `import a.b` binds.
std::string_view AliasBinding(const PythonTree& tree, std::int32_t alias);

}  // namespace cacheon::policy
