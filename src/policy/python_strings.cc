// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// PythonNames::ConstantString: strings that are written in pieces.

#include <cstddef>
#include <string>
#include <vector>

#include "src/policy/python_names.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr std::size_t kMaxPieces = 64;
constexpr std::size_t kMaxAssembledBytes = 4096;

// Follows one expression into its pieces, left to right, without recursion: work is bounded by
// kMaxPieces however deep the tree is.
class Assembler {
 public:
  Assembler(const PythonTree& tree, const PythonScopes& scopes) : tree_(tree), scopes_(scopes) {}

  bool Run(std::int32_t node, std::string& value) {
    std::vector<std::int32_t> pending = {node};
    for (std::size_t steps = 0; !pending.empty(); ++steps) {
      const std::int32_t next = pending.back();
      pending.pop_back();
      if (next == kNoNode || steps > kMaxPieces || value.size() > kMaxAssembledBytes) return false;
      if (tree_[next].is_string()) {
        value += tree_[next].text;
      } else if (!Open(next, pending)) {
        return false;
      }
    }
    return true;
  }

 private:
  static void PushReversed(std::vector<std::int32_t>& pending, std::vector<std::int32_t> nodes) {
    pending.insert(pending.end(), nodes.rbegin(), nodes.rend());
  }

  bool Open(std::int32_t node, std::vector<std::int32_t>& pending) {
    const PythonNode& self = tree_[node];
    if (self.kind == K::kBinOp && self.text == "Add") {
      PushReversed(pending, {tree_.Child(node, F::kLeft), tree_.Child(node, F::kRight)});
      return true;
    }
    if (self.kind == K::kJoinedStr) {
      PushReversed(pending, tree_.Children(node, F::kValues));
      return true;
    }
    if (self.kind == K::kFormattedValue || self.kind == K::kNamedExpr) {
      pending.push_back(tree_.Child(node, F::kValue));
      return true;
    }
    if (self.kind == K::kCall) return OpenJoin(node, pending);
    return self.kind == K::kName && OpenName(node, pending);
  }

  // `"".join(["a", "b"])`
  bool OpenJoin(std::int32_t node, std::vector<std::int32_t>& pending) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    const std::int32_t argument = tree_.Child(node, F::kArgs);
    if (function == kNoNode || argument == kNoNode || tree_[function].text != "join") return false;
    const std::int32_t separator = tree_.Child(function, F::kValue);
    if (separator == kNoNode || !tree_[separator].is_string() || tree_[separator].length != 0)
      return false;
    PushReversed(pending, tree_.Children(argument, F::kElts));
    return true;
  }

  // A name that is bound once, by an assignment, is what is assigned.
  bool OpenName(std::int32_t node, std::vector<std::int32_t>& pending) {
    const PythonNode& self = tree_[node];
    const ScopeId scope = scopes_.Resolve(scopes_.ScopeOf(node), self.text);
    const Binding* binding = scope == kNoScope ? nullptr : scopes_.Find(scope, self.text);
    if (binding == nullptr || binding->count != 1 || binding->parameter) return false;
    const std::int32_t statement = tree_[binding->nodes[0]].parent;
    const K kind = tree_[statement].kind;
    if (kind != K::kAssign && kind != K::kAnnAssign && kind != K::kNamedExpr) return false;
    pending.push_back(tree_.Child(statement, F::kValue));
    return true;
  }

  const PythonTree& tree_;
  const PythonScopes& scopes_;
};

// "[::-1]"
bool IsReversal(const PythonTree& tree, std::int32_t node) {
  const std::int32_t slice = tree.Child(node, F::kSlice);
  if (slice == kNoNode || tree[slice].kind != K::kSlice) return false;
  return tree.Child(slice, F::kLower) == kNoNode && tree.Child(slice, F::kUpper) == kNoNode &&
         tree.Child(slice, F::kStep) != kNoNode;
}

}  // namespace

bool PythonNames::ConstantString(std::int32_t node, std::string& value, bool& assembled) const {
  value.clear();
  if (node == kNoNode) return false;
  assembled = !tree_[node].is_string();
  if (tree_[node].kind == K::kSubscript && IsReversal(tree_, node)) {
    if (!Assembler(tree_, scopes_).Run(tree_.Child(node, F::kValue), value)) return false;
    value.assign(value.rbegin(), value.rend());
    return true;
  }
  return Assembler(tree_, scopes_).Run(node, value);
}

}  // namespace cacheon::policy
