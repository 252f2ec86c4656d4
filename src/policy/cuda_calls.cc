// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/policy/cuda_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

// True when `text` has the word as an assembler directive or operand: not as a part of another
// word, so `ld.global.f32` has no `.global`.
bool HasAsmWord(std::string_view text, std::string_view section, std::string& which) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '%' || c == '$';
  };
  for (std::size_t at = 0; at < text.size();) {
    // An escape such as \n or \t ends a word and is none.
    if (text[at] == '\\') {
      at += 2;
      continue;
    }
    if (!is_part(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    if (CudaRules().Has(section, text.substr(at, end - at))) {
      which = text.substr(at, end - at);
      return true;
    }
    at = end;
  }
  return false;
}

class CallCheck {
 public:
  CallCheck(const CudaFile& file, const std::vector<CudaContext>& contexts, Findings& findings)
      : file_(file), contexts_(contexts), findings_(findings) {}

  void Run() {
    for (std::size_t i = 0; i < file_.tokens.tokens.size(); ++i) {
      const CudaToken& token = At(i);
      if (token.kind == CudaTokenKind::kString) {
        Text(token);
      } else if (token.IsWord()) {
        Word(i);
      }
    }
  }

 private:
  const CudaToken& At(std::size_t i) const {
    static const CudaToken kNone{.kind = CudaTokenKind::kNewline};
    return i < file_.tokens.tokens.size() ? file_.tokens.tokens[i] : kNone;
  }
  // The neighbours of a token, past line ends.
  std::size_t Next(std::size_t i) const {
    do ++i;
    while (i < file_.tokens.tokens.size() && At(i).kind == CudaTokenKind::kNewline);
    return i;
  }
  std::size_t Previous(std::size_t i) const {
    while (i > 0) {
      if (At(--i).kind != CudaTokenKind::kNewline) return i;
    }
    return file_.tokens.tokens.size();
  }

  void Word(std::size_t i) {
    const std::string_view word = At(i).text;
    if (word == "asm" || word == "__asm__" || word == "__asm") return Asm(i);
    if (word == "_Pragma" || word == "__pragma") return PragmaOperator(i);
    if (CudaRules().Has("embed_name", word)) {
      Report("cu.embed", At(i), word,
             fmt::format("{} asks which files the build machine has", word),
             "test for versions of the compiler instead");
    } else if (CudaRules().Has("clock", word)) {
      if (At(Next(i)).Is("(") && !IsMember(i)) Clock(At(i), word);
    } else if (CudaRules().Has("cuda_call", word)) {
      CudaCall(i);
    } else {
      HostCall(i);
    }
  }

  bool IsMember(std::size_t i) const {
    const CudaToken& before = At(Previous(i));
    return before.Is(".") || before.Is("->");
  }

  void HostCall(std::size_t i) {
    const std::string_view word = At(i).text;
    if (IsMember(i)) return;
    const CudaToken& before = At(Previous(i));
    const bool hard = CudaRules().Has("host_call", word);
    const bool soft = CudaRules().Has("host_call_soft", word) &&
                      (IsPlainCall(i) || before.Is("&") || IsGlobal(i));
    const bool standard =
        CudaRules().Has("host_std", word) && before.Is("::") && At(Previous(Previous(i))).Is("std");
    if (hard || soft || standard) return ReportHost(At(i), std::string(word));
    // Two halves that a macro may paste: `PASTE(sys, tem)`, `sys ## tem`.
    const std::size_t next = Next(i);
    if (!At(next).Is(",") && !At(next).Is("##")) return;
    const CudaToken& half = At(Next(next));
    if (!half.IsWord()) return;
    const std::string pasted = fmt::format("{}{}", word, half.text);
    if (CudaRules().Has("host_call", pasted)) ReportHost(At(i), pasted);
  }

  // `open(` as a call and not as the declaration of a function of that name.
  bool IsPlainCall(std::size_t i) const {
    if (!At(Next(i)).Is("(")) return false;
    const CudaToken& before = At(Previous(i));
    const bool declared = before.IsWord() && !before.Is("return") && !before.Is("else") &&
                          !before.Is("do") && !before.Is("case");
    return !declared && !(before.Is("::") && !IsGlobal(i));
  }

  // `::open`, with no namespace before it, or `std::`.
  bool IsGlobal(std::size_t i) const {
    const std::size_t colons = Previous(i);
    if (!At(colons).Is("::")) return false;
    const CudaToken& scope = At(Previous(colons));
    return scope.Is("std") || !(scope.IsWord() || scope.Is(">")) || scope.Is("return");
  }

  void ReportHost(const CudaToken& token, std::string name) {
    std::string message = fmt::format("{} reaches the operating system", name);
    Report("cu.host_call", token, name, std::move(message),
           "host code of a kernel checks shapes and launches");
  }

  void CudaCall(std::size_t i) {
    const std::string_view word = At(i).text;
    if (IsMember(i)) return;
    const Severity severity = file_.bundle.graph_safe ? Severity::kError : Severity::kNote;
    findings_.Strict(
        "cu.cuda_call", file_.PlaceOf(At(i)),
        {std::string(word), fmt::format("{} allocates, synchronises or changes device state", word),
         "take buffers and the stream from the caller; allocate in prepare"},
        severity);
  }

  void Clock(const CudaToken& token, std::string_view symbol) {
    Report("cu.clock", token, symbol, fmt::format("{} reads or waits for time", symbol),
           "a result must not depend on time");
  }

  // What a string says wherever it stands: it may reach asm through a macro.
  void Text(const CudaToken& token) {
    std::string which;
    if (HasAsmWord(token.text, "embed_directive", which)) {
      Report("cu.embed", token, which,
             fmt::format("{} reads files that the build does not record", which),
             "write tables as arrays");
    }
    if (HasAsmWord(token.text, "clock_asm", which)) Clock(token, which);
    if (token.text.find(".init_array") != std::string_view::npos ||
        token.text.find(".preinit_array") != std::string_view::npos ||
        token.text.find(".ctors") != std::string_view::npos) {
      Report("cu.static_init", token, token.text, "this section runs when the library is loaded",
             "run code only when the entry is called");
    }
  }

  void Asm(std::size_t i) {
    const CudaContext& context = contexts_[i];
    if (!context.in_directive && !context.in_device_function) {
      const std::string_view where = context.in_function ? "in host code" : "outside of functions";
      Report("cu.asm", At(i), "asm", fmt::format("asm {} is refused", where),
             "use asm for PTX, in device functions");
      return;
    }
    std::size_t at = Next(i);
    while (At(at).Is("volatile") || At(at).Is("__volatile__") || At(at).Is("goto")) at = Next(at);
    if (!At(at).Is("(")) return;
    std::string which;
    for (at = Next(at); At(at).kind == CudaTokenKind::kString; at = Next(at)) {
      if (!HasAsmWord(At(at).text, "asm_directive", which)) continue;
      Report("cu.asm", At(at), which,
             fmt::format("the directive {} does not belong in a kernel's asm", which),
             "write instructions and local declarations only");
    }
  }

  void PragmaOperator(std::size_t i) {
    const CudaToken& text = At(Next(Next(i)));
    const bool allowed = text.kind == CudaTokenKind::kString &&
                         (text.text.starts_with("unroll") || text.text.starts_with("nounroll") ||
                          text.text.starts_with("nv_diag_") ||
                          text.text.starts_with("GCC diagnostic") || text.text == "once");
    if (allowed) return;
    Report("cu.pragma", At(i), At(i).text, "this pragma is not on the list",
           "once, unroll, nv_diag_* and GCC diagnostic are allowed");
  }

  void Report(Code code, const CudaToken& token, std::string_view symbol, std::string message,
              std::string_view hint) {
    findings_.Strict(code, file_.PlaceOf(token),
                     {std::string(symbol), std::move(message), std::string(hint)});
  }

  const CudaFile& file_;
  const std::vector<CudaContext>& contexts_;
  Findings& findings_;
};

}  // namespace

void CheckCudaCalls(const CudaFile& file, const std::vector<CudaContext>& contexts,
                    Findings& findings) {
  if (findings.strict()) CallCheck(file, contexts, findings).Run();
}

}  // namespace cacheon::policy
