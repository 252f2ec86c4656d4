// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

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

// One family of names that may not be used, by dotted name or by attribute of any object.
struct UseRule {
  Code code;
  std::string_view names;       // section of dotted names; may be empty
  std::string_view attributes;  // section of attribute names; may be empty
  std::string_view what;
  std::string_view hint;
};

// In order of precedence: the first rule that matches a name speaks.
const UseRule kUseRules[] = {
    {"py.frame", "frame", "frame_attr", "reaches into the interpreter's frames",
     "a kernel computes from its arguments alone"},
    {"py.modules", "modules", "", "reaches the interpreter's module table or streams",
     "import what you use, at the top of the file"},
    {"py.capture_branch", "capture_branch", "capture_branch_attr",
     "depends on streams, events or graph capture",
     "launch on the current stream and leave ordering to the caller"},
    {"py.native_load", "native_load", "", "loads code outside the build lanes",
     "declare .cu files in cuda_sources, or use a direct artifact"},
    {"py.register", "register", "register_attr", "changes what operators or global settings mean",
     "change nothing that outlives the call"},
    {"py.fileio", "fileio", "fileio_attr", "reads or writes files or descriptors",
     "take data from the arguments"},
    {"py.process_exit", "process_exit", "", "ends or controls the process",
     "raise an ordinary exception when the inputs are not supported"},
    {"py.indirect_attr", "indirect_attr", "", "reaches attributes by computed name",
     "write the attribute"},
};

void Report(const UseRule& rule, std::string symbol, SourcePlace place, Findings& findings) {
  std::string message = fmt::format("{} {}", symbol, rule.what);
  findings.Strict(rule.code, place,
                  {std::move(symbol), std::move(message), std::string(rule.hint)});
}

class UseCheck {
 public:
  UseCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    const K kind = tree_[node].kind;
    if (kind == K::kRaise) return Raise(node);
    if (kind == K::kName || kind == K::kAttribute || kind == K::kCall) Expression(node);
  }

 private:
  void Expression(std::int32_t node) {
    const std::int32_t base = Base(node);
    for (const UseRule& rule : kUseRules) {
      std::string which;
      if (file_.names.MayBe(node, rule.names, &which)) {
        // What stands before it has been reported already.
        if (base != kNoNode && file_.names.MayBe(base, rule.names)) return;
        return Report(rule, which, file_.PlaceOf(node), findings_);
      }
      const std::string_view attribute = AttributeOf(node);
      if (!attribute.empty() && !rule.attributes.empty() &&
          PythonRules().Has(rule.attributes, attribute)) {
        return Report(rule, std::string(attribute), file_.PlaceOf(node), findings_);
      }
    }
    if (tree_[node].kind == K::kCall) return;
    if (file_.names.MayBe(node, "current_stream")) return CurrentStream(node);
    if (tree_[node].kind == K::kAttribute) ModuleOfAnother(node, base);
    TorchName(node);
  }

  // `torch.ctypes`: a module that may not be imported, taken from one that may.
  void ModuleOfAnother(std::int32_t node, std::int32_t base) {
    const std::string_view module = tree_[node].text;
    const bool denied = PythonRules().Has("floor.import_denied", module) ||
                        PythonRules().Has("import_denied", module);
    if (!denied || !PythonRules().Has("reexported", module)) return;
    if (std::ranges::none_of(file_.names.Of(base), IsForeign)) return;
    findings_.Strict(
        "py.import_denied", file_.PlaceOf(node),
        {std::string(module),
         fmt::format("{} may not be imported, and not taken from another module", module),
         "a kernel needs torch and its own modules alone"});
  }

  // What an attribute or a literal getattr is taken from.
  std::int32_t Base(std::int32_t node) const {
    if (tree_[node].kind == K::kAttribute) return tree_.Child(node, F::kValue);
    if (tree_[node].kind == K::kCall) return tree_.Child(node, F::kArgs);
    return kNoNode;
  }

  std::string_view AttributeOf(std::int32_t node) const {
    if (tree_[node].kind == K::kAttribute) return tree_[node].text;
    if (tree_[node].kind != K::kCall) return {};
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode || tree_[function].text != "getattr") return {};
    const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
    if (arguments.size() < 2 || !tree_[arguments[1]].is_string()) return {};
    return tree_[arguments[1]].text;
  }

  void Raise(std::int32_t node) {
    std::int32_t raised = tree_.Child(node, F::kExc);
    if (raised != kNoNode && tree_[raised].kind == K::kCall) raised = tree_.Child(raised, F::kFunc);
    std::string which;
    if (raised == kNoNode || !file_.names.MayBe(raised, "process_exit_exception", &which)) return;
    findings_.Strict(
        "py.process_exit", file_.PlaceOf(node),
        {std::string(DottedLeaf(which)),
         fmt::format("raising {} ends the process that is being graded", DottedLeaf(which)),
         "raise an ordinary exception"});
  }

  // Allowed: `launch(..., torch.cuda.current_stream().cuda_stream)` and naming it for that.
  void CurrentStream(std::int32_t node) {
    std::int32_t at = node;
    if (tree_[at].field == F::kFunc) at = tree_[at].parent;
    if (tree_[tree_[at].parent].kind == K::kAttribute &&
        tree_[tree_[at].parent].text == "cuda_stream") {
      at = tree_[at].parent;
    }
    const PythonNode& user = tree_[tree_[at].parent];
    const bool passed = (user.kind == K::kCall && tree_[at].field == F::kArgs) ||
                        user.kind == K::kKeyword || user.kind == K::kAssign ||
                        user.kind == K::kAnnAssign || user.kind == K::kNamedExpr;
    if (passed || user.kind == K::kCall) return;
    Report(kUseRules[2], "torch.cuda.current_stream", file_.PlaceOf(node), findings_);
  }

  void TorchName(std::int32_t node) {
    const std::int32_t parent = tree_[node].parent;
    if (tree_[parent].kind == K::kAttribute || !tree_[node].loads()) return;
    for (const std::string& name : file_.names.Of(node)) {
      if (DottedRoot(name) != "torch" || name == "torch" || Allowed(name)) continue;
      findings_.Strict(
          "py.torch_name_not_allowed", file_.PlaceOf(node),
          {name, fmt::format("{} is not on the list of torch names that kernels use", name),
           "use tensor allocation, views, elementwise operators and registered ops"});
    }
  }

  // A name or anything that it is a part of: `torch.float32.itemsize` is allowed by
  // `torch.float32`.
  static bool Allowed(std::string_view name) {
    for (; name.size() > std::string_view("torch").size(); name = DottedParent(name)) {
      if (PythonRules().Has("torch_allowed", name)) return true;
    }
    return false;
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

bool ReportUse(std::string_view dotted, SourcePlace place, Findings& findings) {
  for (const UseRule& rule : kUseRules) {
    const bool named =
        PythonRules().Has(rule.names, dotted) ||
        (!rule.attributes.empty() && PythonRules().Has(rule.attributes, DottedLeaf(dotted)));
    if (!named) continue;
    Report(rule, std::string(dotted), place, findings);
    return findings.strict();
  }
  return false;
}

void CheckUses(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  UseCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

std::string_view DottedParent(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

std::string_view DottedLeaf(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

std::string_view DottedRoot(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

std::string SymbolOf(const PythonTree& tree, std::int32_t node) {
  std::string symbol(tree[node].text);
  const std::int32_t base = tree.Child(node, F::kValue);
  if (tree[node].kind == K::kAttribute && base != kNoNode && tree[base].kind == K::kName)
    symbol = fmt::format("{}.{}", tree[base].text, symbol);
  return symbol;
}

bool IsJitFunction(const PythonTree& tree, std::int32_t function) {
  for (std::int32_t decorator : tree.Children(function, F::kDecoratorList)) {
    if (tree[decorator].kind == K::kCall) decorator = tree.Child(decorator, F::kFunc);
    if (decorator == kNoNode) continue;
    const bool named = tree[decorator].kind == K::kName || tree[decorator].kind == K::kAttribute;
    if (named && PythonRules().Has("jit_decorator", tree[decorator].text)) return true;
  }
  return false;
}

}  // namespace cacheon::policy
