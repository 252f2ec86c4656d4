// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What runs when a library is loaded, and what lives on after a call. Declarations are judged from
// their tokens: an object of a class type at namespace scope counts as dynamically initialised
// unless it is constexpr or constinit, because its constructor is not looked up.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/policy/cuda_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

class StaticCheck {
 public:
  StaticCheck(const CudaFile& file, const std::vector<CudaContext>& contexts, Findings& findings)
      : file_(file), contexts_(contexts), findings_(findings) {}

  void Run() {
    const auto& tokens = file_.tokens.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (contexts_[i].in_directive || tokens[i].kind == CudaTokenKind::kNewline) continue;
      Attribute(i);
      Step(i);
    }
  }

 private:
  enum class Scope {
    kNamespace,  // extern "C" too
    kClass,
    kTypedef,  // a class whose declarators are names of types
  };

  const CudaToken& Token(std::size_t i) const { return file_.tokens.tokens[i]; }

  void Attribute(std::size_t i) {
    const CudaToken& token = Token(i);
    if (!token.IsWord()) return;
    if (token.Is("__attribute__") || token.Is("gnu")) in_attribute_ = kAttributeReach;
    const bool runs = token.Is("constructor") || token.Is("destructor") || token.Is("ifunc") ||
                      token.Is("__constructor__") || token.Is("__destructor__") ||
                      token.Is("__ifunc__");
    if (in_attribute_ > 0 && runs) {
      Init(token, token.text, fmt::format("the attribute {} runs code at load time", token.text));
    }
    if (in_attribute_ > 0) --in_attribute_;
    if (token.text.starts_with("PyInit_")) {
      Init(token, token.text, "a module's start function must come from the binding macro");
    }
    if (!contexts_[i].in_function && CudaRules().Has("static_macro", token.text)) {
      Init(token, token.text, fmt::format("{} registers operators at load time", token.text));
    }
  }

  // Collects statements outside of functions; braces of classes and namespaces begin new ones.
  void Step(std::size_t i) {
    const CudaToken& token = Token(i);
    if (contexts_[i].in_function) return FunctionStatic(i);
    if (token.Is("{")) {
      Open(i);
    } else if (token.Is("}")) {
      Close(i);
    } else if (token.Is(";") && initializer_braces_ == 0) {
      if (!InClass()) Statement();
      statement_.clear();
      after_class_ = false;
    } else {
      statement_.push_back(i);
    }
  }

  void Open(std::size_t i) {
    const bool function = i + 1 < contexts_.size() && contexts_[i + 1].in_function;
    if (function) {
      statement_.clear();
    } else if (InInitializer()) {
      ++initializer_braces_;
      statement_.push_back(i);
    } else {
      Scope scope = Scope::kNamespace;
      if (IsClassHead()) scope = Has("typedef") ? Scope::kTypedef : Scope::kClass;
      scopes_.push_back(scope);
      statement_.clear();
    }
  }

  void Close(std::size_t i) {
    if (initializer_braces_ > 0) {
      --initializer_braces_;
      statement_.push_back(i);
      return;
    }
    statement_.clear();
    after_class_ = !scopes_.empty() && scopes_.back() == Scope::kClass;
    if (scopes_.empty()) return;
    if (scopes_.back() == Scope::kTypedef) statement_.push_back(i);
    scopes_.pop_back();
  }

  bool InClass() const { return !scopes_.empty() && scopes_.back() != Scope::kNamespace; }

  // `T x = {`, `T x{` and `T x[] = {`, but not `namespace x {` or `struct x {`.
  bool InInitializer() const {
    if (initializer_braces_ > 0 || Has("=")) return true;
    if (statement_.size() < 2 || IsClassHead()) return false;
    return !Has("namespace") && !Has("extern") && !Has("(");
  }

  bool IsClassHead() const {
    if (Has("=")) return false;
    return Has("struct") || Has("class") || Has("union") || Has("enum");
  }

  bool Has(std::string_view word) const {
    for (const std::size_t i : statement_) {
      if (Token(i).Is(word)) return true;
    }
    return false;
  }

  // A whole statement at namespace scope.
  void Statement() {
    if (statement_.empty() || Token(statement_[0]).Is("}")) return;
    const CudaToken& first = Token(statement_[0]);
    if (after_class_) {
      // `struct E { E(); } e;`
      return Init(first, first.text, "an object of this class is made at load time");
    }
    if (CudaRules().Has("declaration_start", first.text) || Has("constexpr") || Has("constinit") ||
        Has("operator") || first.Is("asm") || first.Is("__asm__")) {
      return;
    }
    const std::size_t equals = Find("=");
    if (equals < statement_.size()) return Initialised(first, equals);
    const std::size_t open = Find("(");
    if (open < statement_.size()) return Parenthesised(first, open);
    if (statement_.size() < 2 || !first.IsWord() || IsForwardDeclaration(first)) return;
    IsPlain() ? State(first) : Init(first, Declared(statement_.size()), ClassObject());
  }

  static std::string ClassObject() {
    return "an object of a class type at namespace scope is made at load time";
  }

  static bool IsForwardDeclaration(const CudaToken& first) {
    return first.Is("struct") || first.Is("class") || first.Is("union") || first.Is("enum");
  }

  std::size_t Find(std::string_view text) const {
    for (std::size_t i = 0; i < statement_.size(); ++i) {
      if (Token(statement_[i]).Is(text)) return i;
    }
    return statement_.size();
  }

  // `T x = expression;` is dynamic when the expression calls something.
  void Initialised(const CudaToken& first, std::size_t equals) {
    for (std::size_t i = equals + 1; i < statement_.size(); ++i) {
      const CudaToken& token = Token(statement_[i]);
      if ((token.Is("(") && CallsBefore(i)) || token.Is("new"))
        return Init(first, Declared(equals), "this initialiser runs at load time");
    }
    if (!Has("const")) State(first);
  }

  // True when the parenthesis at `i` follows something that can be called: a name, a closed lambda
  // or an element, but not the capture list of a lambda or an operator like sizeof.
  bool CallsBefore(std::size_t i) const {
    const CudaToken& before = Token(statement_[i - 1]);
    if (before.IsWord()) return !CudaRules().Has("no_call", before.text);
    if (!before.Is("]")) return before.Is("}") || before.Is(")");
    std::size_t open = i - 1;
    while (open > 0 && !Token(statement_[open]).Is("[")) --open;
    const CudaToken& captures = Token(statement_[open > 0 ? open - 1 : 0]);
    return captures.IsWord() || captures.Is("]") || captures.Is(")");
  }

  // `T f(parameters);` declares a function; `T x(arguments);` makes an object.
  void Parenthesised(const CudaToken& first, std::size_t open) {
    if (open + 1 >= statement_.size() || open < 2) return;
    const CudaToken& argument = Token(statement_[open + 1]);
    const bool object = argument.kind == CudaTokenKind::kNumber ||
                        argument.kind == CudaTokenKind::kString || argument.Is("&") ||
                        argument.Is("[") || argument.Is("{");
    if (object && !Has("__attribute__")) Init(first, Declared(open), ClassObject());
  }

  std::string Declared(std::size_t end) const {
    for (std::size_t i = end; i-- > 0;) {
      if (Token(statement_[i]).IsWord()) return std::string(Token(statement_[i]).text);
    }
    return {};
  }

  // Built from fundamental types, pointers and qualifiers only.
  bool IsPlain() const {
    for (std::size_t i = 0; i + 1 < statement_.size(); ++i) {
      const CudaToken& token = Token(statement_[i]);
      if (token.Is("*") || CudaRules().Has("plain_type", token.text)) return true;
    }
    return false;
  }

  void FunctionStatic(std::size_t i) {
    const CudaToken& token = Token(i);
    if (!token.Is("static") && !token.Is("thread_local")) return;
    for (std::size_t at = i; at < file_.tokens.tokens.size() && at < i + 4; ++at) {
      if (Token(at).Is("const") || Token(at).Is("constexpr")) return;
    }
    findings_.Strict("cu.static_state", file_.PlaceOf(token),
                     {"static", "a static variable lives on after the call",
                      "keep state in what prepare returns"});
  }

  void State(const CudaToken& first) {
    if (Has("const") || Has("__shared__")) return;
    findings_.Strict(
        "cu.static_state", file_.PlaceOf(first),
        {Declared(std::min(Find("="), Find("["))), "this variable lives on after the call",
         "keep state in what prepare returns"});
  }

  void Init(const CudaToken& token, std::string_view symbol, std::string message) {
    findings_.Strict("cu.static_init", file_.PlaceOf(token),
                     {std::string(symbol), std::move(message),
                      "run code only when the entry is called; use constexpr for tables"});
  }

  static constexpr int kAttributeReach = 8;  // words of an attribute that are looked at

  const CudaFile& file_;
  const std::vector<CudaContext>& contexts_;
  Findings& findings_;
  std::vector<std::size_t> statement_;  // tokens since the last end of a statement
  std::vector<Scope> scopes_;           // of open braces outside functions
  int initializer_braces_ = 0;
  int in_attribute_ = 0;
  bool after_class_ = false;
};

// The name before the parameter list of each __global__ function; launch bounds have one of their
// own.
std::vector<std::string> Kernels(const CudaTokens& tokens) {
  std::vector<std::string> kernels;
  bool open = false;
  for (std::size_t i = 0; i + 1 < tokens.tokens.size(); ++i) {
    const CudaToken& token = tokens.tokens[i];
    if (token.Is("__global__")) open = true;
    const bool name =
        token.IsWord() && tokens.tokens[i + 1].Is("(") && !CudaRules().Has("no_call", token.text);
    if (!open || !name) continue;
    kernels.emplace_back(token.text);
    open = false;
  }
  return kernels;
}

}  // namespace

void CheckCudaStatics(const CudaFile& file, const std::vector<CudaContext>& contexts,
                      Findings& findings) {
  if (findings.strict()) StaticCheck(file, contexts, findings).Run();
}

ScanFileFacts CheckCudaSource(const SourceText& source, const ScanBundle& bundle,
                              Findings& findings) {
  ScanFileFacts facts{.path = source.path(), .language = "cuda"};
  const CudaTokens tokens = LexCuda(source.content());
  if (tokens.truncated) {
    findings.Floor("tree.limit", {}, {"tokens", "the file has too many tokens", "split it"});
    return facts;
  }
  const CudaFile file{source, tokens, bundle};
  const std::vector<CudaContext> contexts = CudaContexts(tokens);
  CheckCudaDirectives(file, findings, facts.imports);
  CheckCudaCalls(file, contexts, findings);
  CheckCudaStatics(file, contexts, findings);
  facts.kernels = Kernels(tokens);
  return facts;
}

}  // namespace cacheon::policy
