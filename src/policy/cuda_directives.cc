// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/policy/cuda_rules.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

std::string_view Trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\f\v");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\f\v") - begin + 1);
}

// `path` as seen from the folder of `from`, without `.` and `..`; empty when it leaves the bundle.
std::string ResolveBeside(std::string_view from, std::string_view path) {
  std::vector<std::string_view> parts;
  std::string joined(from.substr(0, from.rfind('/') == from.npos ? 0 : from.rfind('/') + 1));
  joined += path;
  for (std::string_view rest = joined; !rest.empty();) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (parts.empty()) return {};
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

bool HasPart(std::string_view path, std::string_view wanted) {
  const std::string padded = fmt::format("/{}/", path);
  return padded.find(fmt::format("/{}/", wanted)) != std::string::npos;
}

class DirectiveCheck {
 public:
  DirectiveCheck(const CudaFile& file, Findings& findings, std::vector<std::string>& includes)
      : file_(file), findings_(findings), includes_(includes) {}

  void Run() {
    for (const std::size_t offset : file_.tokens.trigraphs) {
      findings_.Floor(
          "cu.trigraph", file_.source.PlaceOf(offset),
          {std::string(file_.source.content().substr(offset, 3)),
           "a trigraph is read differently by different compilers", "write the character itself"});
    }
    const auto& tokens = file_.tokens.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].starts_line) continue;
      if (tokens[i].Is("#") || tokens[i].Is("%:")) i = Directive(i);
    }
  }

 private:
  const CudaToken& At(std::size_t i) const { return file_.tokens.tokens[i]; }
  bool Ends(std::size_t i) const {
    return i >= file_.tokens.tokens.size() || At(i).kind == CudaTokenKind::kNewline;
  }

  // The directive that begins at `hash`; returns the index of its last token.
  std::size_t Directive(std::size_t hash) {
    std::size_t end = hash;
    while (!Ends(end + 1)) ++end;
    if (end == hash) return end;
    const CudaToken& name = At(hash + 1);
    if (At(hash).Is("%:")) Digraph(At(hash), name);
    const std::string_view line = Rest(name, end);
    if (line.find("\\u") != std::string_view::npos || line.find("\\U") != std::string_view::npos ||
        name.Is("\\")) {
      Report("cu.trigraph", name, "\\u", "a universal character name in a directive hides its text",
             "write the character itself");
    }
    Dispatch(name, Trim(line), hash + 2, end);
    return end;
  }

  // What follows the directive's name on its line, comments as spaces.
  std::string_view Rest(const CudaToken& name, std::size_t end) const {
    const std::string_view text = file_.tokens.text;
    const std::size_t begin = name.spliced + name.text.size();
    const std::size_t next =
        end + 1 < file_.tokens.tokens.size() ? At(end + 1).spliced : text.size();
    return text.substr(std::min(begin, next), next - std::min(begin, next));
  }

  void Digraph(const CudaToken& hash, const CudaToken& name) {
    if (name.Is("include") || name.Is("include_next")) {
      findings_.Floor("cu.include_next", file_.PlaceOf(hash),
                      {"%:include", "an include is spelled with a digraph", "write #include"});
    } else {
      Report("cu.trigraph", hash, "%:", "a directive is spelled with a digraph", "write #");
    }
  }

  void Dispatch(const CudaToken& name, std::string_view line, std::size_t first, std::size_t end) {
    if (name.Is("include")) return Include(name, line);
    if (name.Is("include_next")) {
      findings_.Floor("cu.include_next", file_.PlaceOf(name),
                      {"include_next", "include_next depends on the compiler's search order",
                       "include the file by its path"});
    } else if (name.Is("import")) {
      findings_.Floor("cu.dynamic_include", file_.PlaceOf(name),
                      {"import", "#import is no include of C++", "write #include"});
    } else if (name.Is("embed")) {
      Report("cu.embed", name, "embed", "#embed reads files that the build does not record",
             "write tables as arrays");
    } else if (name.Is("pragma")) {
      Pragma(name, line);
    } else if (name.Is("line") || name.kind == CudaTokenKind::kNumber) {
      Report("cu.line_predef", name, "line", "a line directive misplaces every later message",
             "remove it");
    } else if ((name.Is("define") || name.Is("undef")) && first <= end) {
      Redefine(At(first));
    }
  }

  void Redefine(const CudaToken& macro) {
    if (!CudaRules().Has("predefined", macro.text) && !CudaRules().Has("keyword", macro.text))
      return;
    Report("cu.line_predef", macro, macro.text,
           fmt::format("{} may not be defined anew: later code would not mean what it says",
                       macro.text),
           "choose a name of your own");
  }

  void Pragma(const CudaToken& name, std::string_view line) {
    if (PragmaAllowed(line)) return;
    Report("cu.pragma", name, line.substr(0, line.find_first_of(" \t(")),
           fmt::format("the pragma `{}` is not on the list", line.substr(0, 60)),
           "once, unroll, nv_diag_* and GCC diagnostic are allowed");
  }

  static bool PragmaAllowed(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t("));
    if (CudaRules().Has("pragma", word)) return true;
    if (word != "GCC" && word != "clang") return false;
    const std::string_view rest = Trim(line.substr(word.size()));
    return rest.substr(0, rest.find_first_of(" \t")) == "diagnostic";
  }

  void Include(const CudaToken& name, std::string_view line) {
    const char close = line.starts_with('<') ? '>' : '"';
    const bool literal = line.starts_with('<') || line.starts_with('"');
    const auto end = literal ? line.find(close, 1) : std::string_view::npos;
    if (end == std::string_view::npos || !Trim(line.substr(end + 1)).empty()) {
      findings_.Floor("cu.dynamic_include", file_.PlaceOf(name),
                      {std::string(line.substr(0, 60)), "an include must name its file literally",
                       "#include <file> or #include \"file\", and nothing after it but a comment"});
      return;
    }
    const std::string_view path = line.substr(1, end - 1);
    includes_.emplace_back(path);
    close == '>' ? System(name, path) : Quoted(name, path);
  }

  void System(const CudaToken& name, std::string_view path) {
    const std::string padded = fmt::format("/{}/", path);
    const bool bad = path.empty() || path.starts_with('/') || HasPart(path, ".") ||
                     HasPart(path, "..") || padded.find("//") != std::string::npos ||
                     path.find('\\') != std::string_view::npos;
    if (bad) {
      findings_.Floor("cu.system_path", file_.PlaceOf(name),
                      {std::string(path), "an include in <> must be a plain relative path",
                       "name the header as its library documents it"});
    } else {
      AllowList(name, path);
    }
  }

  void AllowList(const CudaToken& name, std::string_view path) {
    if (CudaRules().Has("include_allowed", path)) return;
    Report("cu.include_allowlist", name, path,
           fmt::format("{} is not on the list of headers", path),
           "use the CUDA, CUTLASS, CUB and torch headers and the plain headers of C++");
  }

  void Quoted(const CudaToken& name, std::string_view path) {
    const std::string local = ResolveBeside(file_.source.path(), path);
    const bool absolute = path.starts_with('/');
    const auto exists = std::ranges::any_of(file_.bundle.entries, [&](const ScanEntry& entry) {
      return entry.path == local && entry.kind == bundle::EntryKind::kFile;
    });
    if (!exists || absolute) return Unresolved(name, path);
    if (local.ends_with(".cu")) {
      findings_.Floor("cu.includes_unit", file_.PlaceOf(name),
                      {local, "a .cu file is a unit of its own and may not be included",
                       "move what is shared into a .cuh file"});
    } else if (std::ranges::find(file_.bundle.cuda_sources, local) ==
               file_.bundle.cuda_sources.end()) {
      findings_.Floor("cu.local_undeclared", file_.PlaceOf(name),
                      {local, fmt::format("{} is included but not declared", local),
                       "list it in the row's cuda_sources"});
    }
  }

  void Unresolved(const CudaToken& name, std::string_view path) {
    if (HasPart(path, "..") || path.starts_with('/')) {
      findings_.Floor("cu.include_unresolved", file_.PlaceOf(name),
                      {std::string(path), "the included file is not in the bundle",
                       "add it to the bundle and declare it"});
    } else {
      AllowList(name, path);
    }
  }

  void Report(Code code, const CudaToken& token, std::string_view symbol, std::string message,
              std::string_view hint) {
    findings_.Strict(code, file_.PlaceOf(token),
                     {std::string(symbol), std::move(message), std::string(hint)});
  }

  const CudaFile& file_;
  Findings& findings_;
  std::vector<std::string>& includes_;
};

}  // namespace

void CheckCudaDirectives(const CudaFile& file, Findings& findings,
                         std::vector<std::string>& includes) {
  DirectiveCheck(file, findings, includes).Run();
}

}  // namespace cacheon::policy
