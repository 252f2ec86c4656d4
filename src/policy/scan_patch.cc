// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "src/policy/cuda_rules.h"
#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"
#include "src/policy/scan_tree.h"

namespace cacheon::policy {
namespace {

constexpr std::string_view kPatchedFolder = "flashinfer/data/csrc/fused_moe/";
constexpr std::array<std::string_view, 5> kPatchedSuffixes = {".cu", ".cuh", ".h", ".hpp", ".inl"};

class PatchCheck {
 public:
  PatchCheck(const ScanBundle& bundle, bundle::Mode mode,
             const bundle::DependencyReader& dependency)
      : bundle_(bundle), mode_(mode), dependency_(dependency) {}

  std::vector<Error> Run() {
    for (std::size_t i = 0; i < bundle_.dep_patches.size(); ++i) {
      const ScanPatch& declared = bundle_.dep_patches[i];
      const auto entry = std::ranges::find(bundle_.entries, declared.path, &ScanEntry::path);
      if (entry == bundle_.entries.end()) continue;
      const std::string text = bundle::UniversalNewlines(std::string(entry->content));
      const SourceText source(declared.path, text);
      Findings findings(mode_, declared.path, &source);
      if (i == kMaxPatches) {
        findings.Strict("dep.limit", {},
                        {"patches", fmt::format("a bundle may have {} patches", kMaxPatches),
                         "join patches of the same target"});
      }
      One(declared, source, findings);
      std::ranges::move(findings.Take(), std::back_inserter(errors_));
    }
    if (errors_.empty() && dependency_) Apply();
    return std::move(errors_);
  }

 private:
  void One(const ScanPatch& declared, const SourceText& source, Findings& findings) {
    if (source.content().size() > kMaxPatchBytes) {
      findings.Strict("dep.limit", {},
                      {"bytes", fmt::format("a patch may have {} bytes", kMaxPatchBytes),
                       "patch less, or in several files"});
      if (findings.strict()) return;
    }
    Lines(source, findings);
    auto patch = bundle::ParsePatch(source.content());
    if (!patch) return Refused(std::move(patch).error(), declared.path);
    if (auto allowed = bundle::CheckPatchPolicy(declared.target, *patch); !allowed)
      Refused(std::move(allowed).error(), declared.path);
    Content(*patch, findings);
    for (const bundle::PatchedFile& file : patch->files) File(declared, file, findings);
    patches_.push_back(std::move(*patch));
  }

  void Refused(Error error, const std::string& path) {
    errors_.push_back(std::move(error).InFile(path));
  }

  // What the grammar skips outside of hunks but which still says something.
  void Lines(const SourceText& source, Findings& findings) {
    for (int line = 1; line <= source.line_count(); ++line) {
      const std::string_view text = source.Line(line);
      if (text.size() > kMaxPatchLineBytes) {
        findings.Strict("dep.limit", {line, 0},
                        {"line", fmt::format("a line may have {} bytes", kMaxPatchLineBytes),
                         "break the line"});
      }
      const bool mode = text.starts_with("new file mode ") || text.starts_with("new mode ");
      if (mode && !text.ends_with(" 100644")) {
        findings.Strict(
            "dep.construct", {line, 0},
            {std::string(text), "a patch may only make plain files", "leave the mode at 100644"});
      }
    }
  }

  void Content(const bundle::Patch& patch, Findings& findings) {
    std::size_t hunks = 0;
    std::size_t added = 0;
    for (const bundle::PatchedFile& file : patch.files) {
      hunks += file.hunks.size();
      for (const bundle::PatchHunk& hunk : file.hunks) {
        added += static_cast<std::size_t>(std::ranges::count_if(
            hunk.lines, [](const std::string& line) { return line.starts_with('+'); }));
      }
    }
    const auto limit = [&](std::string_view what, std::size_t count, std::size_t most) {
      if (count <= most) return;
      findings.Strict("dep.limit", {},
                      {std::string(what), fmt::format("{} {}, {} are allowed", count, what, most),
                       "patch less"});
    };
    limit("files", patch.files.size(), kMaxPatchedFiles);
    limit("hunks", hunks, kMaxPatchHunks);
    limit("added lines", added, kMaxAddedLines);
  }

  void File(const ScanPatch& declared, const bundle::PatchedFile& file, Findings& findings) {
    const std::string_view path = file.path;
    const bool inside =
        path.starts_with(kPatchedFolder) &&
        path.find('/', kPatchedFolder.size()) == std::string_view::npos &&
        std::ranges::find(kPatchedSuffixes, SuffixOf(path)) != kPatchedSuffixes.end();
    if (!inside) {
      findings.Strict(
          "dep.glob", {file.line, 0},
          {file.path, fmt::format("{} is no C++ source directly in the folder", file.path),
           "patch .cu, .cuh, .h, .hpp and .inl files of fused_moe"});
    }
    const auto [first, added] = owners_.emplace(declared.target + ":" + file.path, declared.path);
    if (!added && first->second != declared.path) {
      findings.Strict("dep.dup", {file.line, 0},
                      {file.path, fmt::format("{} is patched by {} too", file.path, first->second),
                       "join the two patches"});
    }
    std::int64_t shift = 0;
    for (const bundle::PatchHunk& hunk : file.hunks) Hunk(hunk, file, shift, findings);
  }

  // `shift` is how many lines the hunks before have added.
  void Hunk(const bundle::PatchHunk& hunk, const bundle::PatchedFile& file, std::int64_t& shift,
            Findings& findings) {
    // A side without lines names the line before it.
    const std::int64_t old_first = hunk.old_start + (hunk.old_count == 0 ? 1 : 0);
    const std::int64_t new_first = hunk.new_start + (hunk.new_count == 0 ? 1 : 0);
    if (new_first != old_first + shift) {
      findings.Strict(
          "dep.newstart", {hunk.line, 0},
          {file.path, fmt::format("the new side must begin at line {}", old_first + shift),
           "make the patch anew with diff -u"});
    }
    shift += hunk.new_count - hunk.old_count;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      if (!hunk.lines[i].empty()) continue;
      findings.Strict("dep.context", {hunk.line + 1 + static_cast<int>(i), 0},
                      {file.path, "a context line needs its space, an empty one too",
                       "make the patch anew with diff -u"});
      return;
    }
  }

  void Apply() {
    auto changed = bundle::ApplyPatches(patches_, dependency_);
    if (!changed) {
      errors_.push_back(std::move(changed).error());
      return;
    }
    for (const auto& [path, content] : *changed) Scan(path, content);
  }

  // The patched file under the rules of the bundle's own sources. What the pinned file already says
  // is not the bundle's: only what there is more of counts.
  void Scan(const std::string& path, const std::string& content) {
    std::map<std::pair<Code, std::string>, int> before;
    auto original = dependency_(path);
    if (original && *original) {
      const SourceText source(path, **original);
      for (const Error& finding : CudaErrors(source)) ++before[{finding.code, finding.symbol}];
    }
    const SourceText source(path, content);
    Findings result(mode_, path, &source);
    for (const Error& finding : CudaErrors(source)) {
      if (--before[{finding.code, finding.symbol}] >= 0) continue;
      result.Strict(
          "dep.added_cuda", {finding.where.line, 0},
          {finding.symbol,
           fmt::format("{} in the patched file: {}", finding.code.text(), finding.message),
           finding.hint});
    }
    std::ranges::move(result.Take(), std::back_inserter(errors_));
  }

  std::vector<Error> CudaErrors(const SourceText& source) const {
    Findings findings(mode_, source.path(), &source);
    CheckCudaSource(source, bundle_, findings);
    std::vector<Error> errors = findings.Take();
    std::erase_if(errors, [](const Error& e) { return e.severity != Severity::kError; });
    return errors;
  }

  const ScanBundle& bundle_;
  bundle::Mode mode_;
  const bundle::DependencyReader& dependency_;
  std::vector<Error> errors_;
  std::vector<bundle::Patch> patches_;
  std::map<std::string, std::string> owners_;
};

}  // namespace

std::vector<Error> CheckPatches(const ScanBundle& bundle, bundle::Mode mode,
                                const bundle::DependencyReader& dependency) {
  return PatchCheck(bundle, mode, dependency).Run();
}

}  // namespace cacheon::policy
