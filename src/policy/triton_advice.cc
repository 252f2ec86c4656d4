// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Advice about Triton kernels. None of it refuses: the same spellings occur in kernels that work.

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "src/policy/python_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

std::optional<std::int64_t> IntegerOf(const PythonTree& tree, std::int32_t node) {
  if (node == kNoNode || tree[node].kind != K::kConstant ||
      tree[node].constant() != PythonConstant::kInt) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const std::string_view text = tree[node].text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty()) return std::nullopt;
  return value;
}

bool IsLengthName(std::string_view name) {
  constexpr std::string_view kWhole[] = {"n",    "N",      "M",     "T",    "S",
                                         "size", "length", "numel", "rows", "cols"};
  for (const std::string_view whole : kWhole) {
    if (name == whole) return true;
  }
  return name.starts_with("n_") || name.starts_with("num_") || name.ends_with("_len") ||
         name.ends_with("_size") || name.ends_with("_elements");
}

// One jit function.
class KernelAdvice {
 public:
  KernelAdvice(const PythonFile& file, std::int32_t function, Findings& findings)
      : file_(file), tree_(file.tree), function_(function), findings_(findings) {
    const std::int32_t arguments = tree_.Child(function, F::kArgs);
    if (arguments == kNoNode) return;
    for (const std::int32_t argument : tree_.Children(arguments, F::kArgs)) {
      if (!IsConstexpr(argument)) has_length_ |= IsLengthName(tree_[argument].text);
    }
  }

  void Run() {
    for (std::int32_t i = function_ + 1; i < tree_[function_].end; ++i) {
      if (tree_[i].kind == K::kCall) Call(i);
      if (tree_[i].kind == K::kBinOp && tree_[i].text == "Mult") Product(i);
    }
  }

 private:
  bool IsConstexpr(std::int32_t argument) const {
    const std::int32_t annotation = tree_.Child(argument, F::kAnnotation);
    return annotation != kNoNode && tree_[annotation].text == "constexpr";
  }

  void Call(std::int32_t node) {
    const std::int32_t callee = tree_.Child(node, F::kFunc);
    if (file_.names.MayBe(callee, "host_helper")) {
      findings_.Floor("triton.host_helper_in_jit", file_.PlaceOf(node),
                      {"next_power_of_2",
                       "next_power_of_2 does not compile inside a jit function: its argument is a "
                       "constexpr wrapper there",
                       "compute it on the host at the launch and pass it as another tl.constexpr"});
    }
    if (file_.names.MayBe(callee, "triton_arange")) Arange(node);
    std::string which;
    if (has_length_ && file_.names.MayBe(callee, "triton_access", &which)) Access(node, which);
  }

  void Arange(std::int32_t node) {
    const std::vector<std::int32_t> bounds = tree_.Children(node, F::kArgs);
    if (bounds.size() != 2) return;
    const auto begin = IntegerOf(tree_, bounds[0]);
    const auto end = IntegerOf(tree_, bounds[1]);
    if (!begin || !end || *begin < 0 || *end <= *begin) return;
    const std::int64_t count = *end - *begin;
    if ((count & (count - 1)) == 0) return;
    findings_.Strict(
        "triton.arange_not_pow2", file_.PlaceOf(node),
        {"tl.arange", fmt::format("tl.arange over {} elements does not compile", count),
         "take the next power of two and mask the rest"});
  }

  void Access(std::int32_t node, const std::string& which) {
    const std::vector<std::int32_t> arguments = tree_.Children(node, F::kArgs);
    const std::size_t unmasked = DottedLeaf(which) == "load" ? 1 : 2;
    if (arguments.empty() || arguments.size() > unmasked) return;
    for (const std::int32_t keyword : tree_.Children(node, F::kKeywords)) {
      const std::string_view name = tree_[keyword].text;
      if (name == "mask" || name == "boundary_check" || name.empty()) return;
    }
    if (!UsesArange(arguments[0])) return;
    findings_.Strict(
        "triton.missing_mask", file_.PlaceOf(node),
        {std::string(DottedLeaf(which)),
         "a block of computed addresses is accessed without a mask although the kernel "
         "takes a length",
         "pass mask=offsets < length"});
  }

  // The expression, or what a name in it was assigned, calls arange.
  bool UsesArange(std::int32_t expression) const {
    for (std::int32_t i = expression; i < tree_[expression].end; ++i) {
      if (tree_[i].kind == K::kCall && IsArange(i)) return true;
      if (tree_[i].kind == K::kName && AssignedArange(i)) return true;
    }
    return false;
  }

  bool IsArange(std::int32_t call) const {
    return file_.names.MayBe(tree_.Child(call, F::kFunc), "triton_arange");
  }

  template <typename Test>
  bool AnyAssigned(std::int32_t name, const Test& test) const {
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(name), tree_[name].text);
    if (scope == kNoScope || file_.scopes.KindOf(scope) != ScopeKind::kFunction) return false;
    for (const std::int32_t node : file_.scopes.Find(scope, tree_[name].text)->nodes) {
      const std::int32_t value = tree_.Child(tree_[node].parent, F::kValue);
      if (tree_[tree_[node].parent].kind == K::kAssign && value != kNoNode && test(value))
        return true;
    }
    return false;
  }

  bool AssignedArange(std::int32_t name) const {
    return AnyAssigned(name, [&](std::int32_t value) {
      for (std::int32_t i = value; i < tree_[value].end; ++i) {
        if (tree_[i].kind == K::kCall && IsArange(i)) return true;
      }
      return false;
    });
  }

  void Product(std::int32_t node) {
    const std::int32_t left = tree_.Child(node, F::kLeft);
    const std::int32_t right = tree_.Child(node, F::kRight);
    if (left == kNoNode || right == kNoNode) return;
    const bool narrow = (IsProgramId(left) && IsRuntimeStride(right)) ||
                        (IsProgramId(right) && IsRuntimeStride(left));
    if (!narrow) return;
    findings_.Strict(
        "triton.int32_offset", file_.PlaceOf(node),
        {"program_id", "program_id * stride is a 32-bit product and wraps for large tensors",
         "write tl.program_id(0).to(tl.int64)"});
  }

  bool IsProgramId(std::int32_t node) const {
    const auto is_call = [&](std::int32_t value) {
      return tree_[value].kind == K::kCall &&
             file_.names.MayBe(tree_.Child(value, F::kFunc), "triton_program_id");
    };
    if (is_call(node)) return true;
    return tree_[node].kind == K::kName && AnyAssigned(node, is_call);
  }

  bool IsRuntimeStride(std::int32_t node) const {
    if (tree_[node].kind != K::kName || tree_[node].text.find("stride") == std::string_view::npos)
      return false;
    const ScopeId scope = file_.scopes.Resolve(file_.scopes.ScopeOf(node), tree_[node].text);
    const Binding* binding =
        scope == kNoScope ? nullptr : file_.scopes.Find(scope, tree_[node].text);
    return binding != nullptr && binding->parameter && !IsConstexpr(binding->nodes[0]);
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  std::int32_t function_;
  Findings& findings_;
  bool has_length_ = false;
};

}  // namespace

void CheckTriton(const PythonFile& file, Findings& findings) {
  for (std::int32_t i = 0; i < file.tree.size(); ++i) {
    if (file.tree[i].kind == K::kFunctionDef && IsJitFunction(file.tree, i))
      KernelAdvice(file, i, findings).Run();
  }
}

}  // namespace cacheon::policy
