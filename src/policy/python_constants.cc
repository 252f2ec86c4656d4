// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "src/policy/python_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr int kLongText = 4096;
constexpr int kLongEncoded = 512;

bool LooksEncoded(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/' || c == '=' || c == '-' || c == '_' || c == '\n';
  });
}

// Bytes arrive as the code points U+0000 to U+00FF.
bool HasBinaryMagic(std::string_view text) {
  constexpr std::array<std::string_view, 8> kMagics = {
      "\x7f"
      "ELF",
      "MZ",
      "PK\x03\x04",
      "\x1f\xc2\x8b",
      "\xc2\x80\x04",
      "\xc2\x80\x05",
      "BZh",
      "(\xc2\xb5/\xc3\xbd"};
  return std::ranges::any_of(kMagics,
                             [&](std::string_view magic) { return text.starts_with(magic); });
}

// True when a format string reaches an attribute or item: "{0.__class__}", "{x[key].y}". With
// `dunder`, only one that begins with two underscores.
bool FormatsAttribute(std::string_view text, bool dunder) {
  for (auto open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    if (text.substr(open).starts_with("{{")) {
      ++open;
      continue;
    }
    const std::string_view field = text.substr(open + 1, text.find('}', open) - open - 1);
    const std::string_view name = field.substr(0, field.find_first_of(":!"));
    const auto dot = name.find('.');
    if (dot != std::string_view::npos && (!dunder || name.find(".__") != std::string_view::npos))
      return true;
  }
  return false;
}

class ConstantCheck {
 public:
  ConstantCheck(const PythonFile& file, Findings& findings)
      : file_(file), tree_(file.tree), findings_(findings) {}

  void Node(std::int32_t node) {
    const K kind = tree_[node].kind;
    if (kind == K::kConstant) {
      Payload(node);
      if (tree_[node].is_string() && FormatsAttribute(tree_[node].text, true)) Format(node);
    } else if (kind == K::kCall) {
      FormatCall(node);
    }
    if (kind == K::kBinOp || kind == K::kJoinedStr || kind == K::kCall || kind == K::kSubscript)
      Assembled(node);
  }

 private:
  void Payload(std::int32_t node) {
    const PythonNode& self = tree_[node];
    const bool text = self.is_string();
    if (!text && self.constant() != PythonConstant::kBytes) return;
    const bool docstring = tree_[self.parent].kind == K::kExpr;
    std::string_view what;
    if (!text && HasBinaryMagic(self.text)) {
      what = "bytes that begin like a binary file";
    } else if (self.length > kLongText && !docstring) {
      what = "a constant longer than 4096 characters";
    } else if (self.length > kLongEncoded && LooksEncoded(self.text)) {
      what = "a long constant that looks encoded";
    }
    if (what.empty()) return;
    findings_.Strict("py.string_exec_hint", file_.PlaceOf(node),
                     {"", fmt::format("{} may hide code", what), "compute tables in prepare"});
  }

  void FormatCall(std::int32_t node) {
    const std::int32_t function = tree_.Child(node, F::kFunc);
    if (function == kNoNode || tree_[function].kind != K::kAttribute) return;
    if (tree_[function].text != "format" && tree_[function].text != "format_map") return;
    std::string text;
    bool assembled = false;
    if (file_.names.ConstantString(tree_.Child(function, F::kValue), text, assembled) &&
        FormatsAttribute(text, false)) {
      Format(tree_.Child(function, F::kValue));
    }
  }

  void Format(std::int32_t node) {
    findings_.Strict("py.indirect_attr", file_.PlaceOf(node),
                     {"format", "this format string reaches into the objects that it prints",
                      "format plain values"});
  }

  // A dangerous name that is put together from pieces has no honest reason.
  void Assembled(std::int32_t node) {
    std::string text;
    bool assembled = false;
    if (!file_.names.ConstantString(node, text, assembled) || !assembled) return;
    if (!PythonRules().Has("dunder_assembled", text)) return;
    findings_.Strict("py.dyncode", file_.PlaceOf(node),
                     {text, fmt::format("the name {} is assembled from pieces", text),
                      "write names as they are"});
  }

  const PythonFile& file_;
  const PythonTree& tree_;
  Findings& findings_;
};

}  // namespace

void CheckConstants(const PythonFile& file, Findings& findings) {
  if (!findings.strict()) return;
  ConstantCheck check(file, findings);
  for (std::int32_t i = 0; i < file.tree.size(); ++i) check.Node(i);
}

}  // namespace cacheon::policy
