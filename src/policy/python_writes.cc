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

class WriteCheck {
 public:
  WriteCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    const PythonNode& self = tree_[node];
    if (self.kind == K::kAttribute && !self.loads()) {
      Write(tree_.Child(node, F::kValue), self.text, node);
    } else if (self.kind == K::kSubscript && !self.loads()) {
      Write(tree_.Child(node, F::kValue), "", node);
    } else if (self.kind == K::kCall) {
      Call(node);
    }
  }

 private:
  void Call(std::int32_t node) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode) return;
    for (const std::string& name : file_.names.Of(function)) {
      if (name != "builtins.setattr" && name != "builtins.delattr") continue;
      const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
      if (arguments.size() < 2) return;
      const PythonNode& attribute = tree_[arguments[1]];
      return Write(arguments[0], attribute.is_string() ? attribute.text : "", node);
    }
    const std::int32_t base = tree_.Child(function, F::kValue);
    if (tree_[function].kind == K::kAttribute && file_.names.MayBe(base, "environment") &&
        PythonRules().Has("environment_method", tree_[function].text)) {
      Environment(node);
    }
  }

  // Something of `base` is assigned or deleted.
  void Write(std::int32_t base, std::string_view attribute, std::int32_t place) {
    for (const std::string& name : file_.names.Of(base)) {
      if (name[0] == kLocalMark || DottedRoot(name) == "builtins") continue;
      if (PythonRules().Has("environment", name)) return Environment(place);
      const std::string target = attribute.empty() ? name : fmt::format("{}.{}", name, attribute);
      if (PythonRules().Has("modules", target)) return Modules(target, place);
      if (PythonRules().Has("register_write", target)) {
        return findings_.Strict("py.register", file_.PlaceOf(place),
                                {target, fmt::format("{} is a global setting of torch", target),
                                 "set nothing that outlives the call"});
      }
      return findings_.Strict("py.monkeypatch", file_.PlaceOf(place),
                              {target, fmt::format("{} belongs to an imported module", target),
                               "change only what your own files define"});
    }
  }

  void Environment(std::int32_t place) {
    findings_.Strict(
        "py.modules", file_.PlaceOf(place),
        {"os.environ", "the environment belongs to the process", "pass settings as arguments"});
  }

  void Modules(const std::string& target, std::int32_t place) {
    findings_.Strict("py.modules", file_.PlaceOf(place),
                     {target, fmt::format("{} belongs to the interpreter", target),
                      "leave the interpreter's tables and streams alone"});
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

void CheckWrites(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  WriteCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

}  // namespace cacheon::policy
