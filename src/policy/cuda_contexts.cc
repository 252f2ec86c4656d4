// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// CudaContexts: which braces are functions. A brace belongs to a function when what stands before
// it, since the last statement, has a parameter list and does not declare a class, namespace or
// initializer.

#include <string_view>
#include <vector>

#include "src/policy/cuda_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

class ContextWalk {
 public:
  explicit ContextWalk(const CudaTokens& tokens) : tokens_(tokens.tokens) {}

  std::vector<CudaContext> Run() {
    std::vector<CudaContext> contexts;
    contexts.reserve(tokens_.size());
    for (const CudaToken& token : tokens_) {
      if (token.starts_line && (token.Is("#") || token.Is("%:"))) directive_ = true;
      if (token.kind == CudaTokenKind::kNewline) directive_ = false;
      CudaContext context = scopes_.empty() ? CudaContext() : scopes_.back();
      context.in_directive = directive_;
      // A function's head is device code too: default arguments, launch bounds.
      context.in_device_function |= head_.device;
      contexts.push_back(context);
      if (!directive_ && token.kind != CudaTokenKind::kNewline) Step(token);
    }
    return contexts;
  }

 private:
  struct Head {
    bool device = false;
    bool parameters = false;
    bool type = false;         // class, struct, union, enum, namespace, extern "C"
    bool initializer = false;  // an `=` outside parentheses
  };

  void Step(const CudaToken& token) {
    if (InTemplateParameters(token)) return;
    if (token.Is("(")) {
      if (depth_++ == 0) head_.parameters = true;
    } else if (token.Is(")")) {
      if (depth_ > 0) --depth_;
    } else if (token.Is("{")) {
      Open();
    } else if (token.Is("}")) {
      if (!scopes_.empty()) scopes_.pop_back();
      head_ = {};
      depth_ = 0;
    } else if (token.Is(";") && depth_ == 0) {
      head_ = {};
    } else if (token.IsWord()) {
      Word(token.text);
    } else if (token.Is("=") && depth_ == 0) {
      head_.initializer = true;
    }
  }

  // `template <int N = 4>`: neither its `=` nor its `class` says anything about the declaration.
  bool InTemplateParameters(const CudaToken& token) {
    if (token.Is("template")) in_template_ = true;
    if (!in_template_) return false;
    if (token.Is("<")) ++angles_;
    if (token.Is(">") && --angles_ == 0) in_template_ = false;
    // An explicit instantiation has no parameters; a broken list ends with its statement.
    if (token.Is(";") || token.Is("{")) in_template_ = false;
    if (!in_template_) angles_ = 0;
    return in_template_ || token.Is(">");
  }

  void Word(std::string_view word) {
    if (CudaRules().Has("device_marker", word)) head_.device = true;
    if (depth_ > 0) return;
    head_.type |= word == "class" || word == "struct" || word == "union" || word == "enum" ||
                  word == "namespace" || word == "extern";
  }

  void Open() {
    CudaContext inner = scopes_.empty() ? CudaContext() : scopes_.back();
    const bool function = head_.parameters && !head_.initializer && !(head_.type && !head_.device);
    inner.in_function |= function;
    inner.in_device_function |= function && head_.device;
    scopes_.push_back(inner);
    head_ = {};
    depth_ = 0;
  }

  const std::vector<CudaToken>& tokens_;
  std::vector<CudaContext> scopes_;
  Head head_;
  int depth_ = 0;
  int angles_ = 0;
  bool in_template_ = false;
  bool directive_ = false;
};

}  // namespace

std::vector<CudaContext> CudaContexts(const CudaTokens& tokens) {
  return ContextWalk(tokens).Run();
}

}  // namespace cacheon::policy
