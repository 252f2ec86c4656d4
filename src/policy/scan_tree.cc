// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/policy/scan_findings.h"
#include "src/policy/scan_rules.h"

namespace cacheon::policy {
namespace {

constexpr std::array<std::string_view, 6> kBinarySuffixes = {".so",    ".o",   ".a",
                                                             ".dylib", ".bin", ".pyc"};
constexpr std::array<std::string_view, 20> kMoreBinarySuffixes = {
    ".pyd",         ".pyo", ".cubin", ".fatbin", ".ptx", ".pt", ".pth", ".pkl", ".npy", ".npz",
    ".safetensors", ".whl", ".egg",   ".zip",    ".tar", ".gz", ".dll", ".lib", ".xz",  ".zst"};

struct Magic {
  std::string_view bytes;
  std::string_view what;
};

using std::string_view_literals::operator""sv;
constexpr Magic kMagics[] = {
    {"\x7f"
     "ELF"sv,
     "an ELF object"},
    {"\xfe\xed\xfa\xce"sv, "a Mach-O object"},
    {"\xfe\xed\xfa\xcf"sv, "a Mach-O object"},
    {"\xce\xfa\xed\xfe"sv, "a Mach-O object"},
    {"\xcf\xfa\xed\xfe"sv, "a Mach-O object"},
    {"\xca\xfe\xba\xbe"sv, "a Mach-O object"},
    {"!<arch>\n"sv, "a library archive"},
    {"\x50\xed\x55\xba"sv, "a CUDA fat binary"},
    {"PK\x03\x04"sv, "a zip archive"},
    {"PK\x05\x06"sv, "a zip archive"},
    {"\x1f\x8b"sv, "a gzip file"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file"},
    {"\xfd"
     "7zXZ\x00"sv,
     "an xz file"},
    {"BZh"sv, "a bzip2 file"},
    {"\x93NUMPY"sv, "a NumPy file"},
    {"BC\xc0\xde"sv, "LLVM bitcode"},
};

template <typename List>
bool Contains(const List& list, std::string_view value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

std::string_view LeafOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool InMetadataFolder(std::string_view path) {
  return path.starts_with("metadata/") || path.find("/metadata/") != std::string_view::npos;
}

// What the first bytes say; empty for text.
std::string_view MagicOf(std::string_view content) {
  for (const Magic& magic : kMagics) {
    if (content.starts_with(magic.bytes)) return magic.what;
  }
  // Two letters alone could begin a text; a program's header has zeros.
  constexpr std::size_t kDosHeaderBytes = 64;
  if (content.starts_with("MZ") && content.substr(0, kDosHeaderBytes).find('\0') != content.npos)
    return "a Windows program";
  // Pickle protocols 2 to 5 begin with 0x80 and the protocol.
  if (content.size() >= 2 && content[0] == '\x80' && content[1] >= 2 && content[1] <= 5)
    return "a pickle";
  // safetensors: a little-endian 64-bit header length, then its JSON object.
  constexpr std::size_t kLengthBytes = 8;
  if (content.size() > kLengthBytes && content[kLengthBytes] == '{' && content[6] == '\0' &&
      content[7] == '\0') {
    return "a safetensors file";
  }
  return {};
}

bool IsIdentifier(std::string_view name) {
  const auto is_start = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_start(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); });
}

// What is wrong with a path as a path; empty when nothing is.
std::string_view PathFault(std::string_view path) {
  if (path.size() > kMaxPathBytes) return "is longer than 240 bytes";
  if (path.empty() || path[0] == '/') return "is not relative";
  if (path[0] == '-') return "begins like an option";
  const bool plain = std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._+/-").find(c) != std::string_view::npos;
  });
  if (!plain) return "has a character outside [A-Za-z0-9._+/-]";
  int depth = 0;
  for (std::string_view rest = path;;) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return "has an empty, `.` or `..` part";
    if (part.starts_with("._")) return "has a part that begins with `._`";
    if (part.starts_with('-')) return "has a part that begins like an option";
    if (++depth > kMaxPathDepth) return "is more than 16 folders deep";
    if (slash == std::string_view::npos) return {};
    rest = rest.substr(slash + 1);
  }
}

class TreeCheck {
 public:
  TreeCheck(const ScanBundle& bundle, bundle::Mode mode) : bundle_(bundle), mode_(mode) {}

  std::vector<Error> Run() {
    for (const ScanEntry& entry : bundle_.entries) {
      Findings findings(mode_, entry.path, nullptr);
      Entry(entry, findings);
      std::ranges::move(findings.Take(), std::back_inserter(errors_));
    }
    Findings whole(mode_, "", nullptr);
    Totals(whole);
    std::ranges::move(whole.Take(), std::back_inserter(errors_));
    return std::move(errors_);
  }

 private:
  void Entry(const ScanEntry& entry, Findings& findings) {
    if (entry.kind == bundle::EntryKind::kSymlink) {
      return findings.Floor("tree.symlink", {},
                            {"", "a link is no part of a bundle", "add the file itself"});
    }
    Names(entry, findings);
    if (IsSkippedPath(entry.path)) {
      return findings.Strict("tree.pycache", {},
                             {"", "files here are neither hashed nor scanned, yet may be loaded",
                              "remove __pycache__ and .git before packing"});
    }
    if (entry.kind == bundle::EntryKind::kDirectory) return;
    if (entry.kind == bundle::EntryKind::kOther) {
      return findings.Strict("tree.nonregular", {},
                             {"", "only files and folders are part of a bundle", "remove it"});
    }
    if (entry.link_count != 1) {
      findings.Strict("tree.hardlink", {},
                      {"", "another name of the same file could change it", "copy the file"});
    }
    if (!BinaryName(entry, findings)) Sanctioned(entry, findings);
    if (const std::string_view what = MagicOf(entry.content); !what.empty()) {
      findings.Strict("tree.binary_magic", {},
                      {"", fmt::format("the content is {}", what), "bundles hold sources"});
    }
    if (entry.content.size() > kMaxFileBytes) {
      findings.Strict(
          "tree.limit", {},
          {"bytes", fmt::format("a file may have {} bytes", kMaxFileBytes), "split it"});
    }
  }

  void Names(const ScanEntry& entry, Findings& findings) {
    if (const std::string_view fault = PathFault(entry.path); !fault.empty()) {
      findings.Strict("tree.path", {},
                      {"", fmt::format("the path {}", fault), "use short plain names"});
    }
    const auto [first, added] = folded_.emplace(Lower(entry.path), entry.path);
    if (!added && first->second != entry.path) {
      findings.Strict("tree.casefold", {},
                      {first->second, fmt::format("differs from {} by case only", first->second),
                       "rename one of them"});
    }
    Shadow(entry, findings);
  }

  // A module that would be imported instead of a trusted one.
  void Shadow(const ScanEntry& entry, Findings& findings) {
    const bool python = SuffixOf(entry.path) == ".py";
    if (!python && entry.kind != bundle::EntryKind::kDirectory) return;
    std::string_view root = std::string_view(entry.path).substr(0, entry.path.find('/'));
    if (python && root.size() == entry.path.size()) root.remove_suffix(3);
    if (root != entry.path && entry.path.size() != root.size() + 3) return;
    const bool trusted =
        PythonRules().Has("trusted_root", root) || PythonRules().Has("stdlib", root);
    if (!trusted) return;
    findings.Strict(
        "tree.shadow", {},
        {std::string(root), fmt::format("{} is the name of a module outside the bundle", root),
         "rename it"});
  }

  bool BinaryName(const ScanEntry& entry, Findings& findings) {
    const std::string_view suffix = SuffixOf(entry.path);
    if (Contains(kBinarySuffixes, suffix)) {
      findings.Floor("tree.binary", {},
                     {std::string(suffix), fmt::format("a {} file cannot be reviewed", suffix),
                      "bundles hold sources; no declaration admits this"});
      return true;
    }
    if (!Contains(kMoreBinarySuffixes, Lower(suffix)) && !Contains(kBinarySuffixes, Lower(suffix)))
      return false;
    findings.Strict("tree.binary_suffix_ext", {},
                    {std::string(suffix), fmt::format("a {} file cannot be reviewed", suffix),
                     "bundles hold sources; no declaration admits this"});
    return findings.strict();
  }

  void Sanctioned(const ScanEntry& entry, Findings& findings) {
    const std::string_view suffix = SuffixOf(entry.path);
    if (suffix == ".py") return;
    if (suffix == ".cu" || suffix == ".cuh") {
      Stem(entry, findings);
      Declared("tree.cuda_undeclared", bundle_.cuda_sources, entry, "a row's cuda_sources",
               findings);
    } else if (suffix == ".patch" || suffix == ".diff") {
      Declared("tree.patch_undeclared", Patches(), entry, "[[dep_patches]]", findings);
    } else {
      Benign(entry, findings);
    }
  }

  std::vector<std::string> Patches() const {
    std::vector<std::string> paths;
    for (const ScanPatch& patch : bundle_.dep_patches) paths.push_back(patch.path);
    return paths;
  }

  void Declared(Code code, const std::vector<std::string>& declared, const ScanEntry& entry,
                std::string_view where, Findings& findings) {
    if (!bundle_.has_manifest || Contains(declared, entry.path)) return;
    findings.Floor(
        code, {},
        {"", "the manifest does not declare this file", fmt::format("list it in {}", where)});
  }

  void Benign(const ScanEntry& entry, Findings& findings) {
    if (!bundle_.has_manifest) return;
    const std::string_view name = LeafOf(entry.path);
    if (name == "manifest.toml" || name == "rebuild.json" || name == ".gitignore") return;
    if (name.ends_with(".json") && InMetadataFolder(entry.path)) return;
    if (!name.starts_with("README") && !name.starts_with("LICENSE")) {
      return findings.Floor("tree.unsanctioned_file", {},
                            {"", "this kind of file is no part of a bundle",
                             "keep .py, declared .cu, .cuh and .patch, README, LICENSE and "
                             "metadata/*.json"});
    }
    const std::string_view suffix = SuffixOf(name);
    if (suffix.empty() || suffix == ".md" || suffix == ".txt" || suffix == ".rst") return;
    findings.Strict("tree.benign", {},
                    {std::string(suffix), fmt::format("a {} file is no document", suffix),
                     "name documents .md, .txt or .rst, or without a suffix"});
  }

  void Stem(const ScanEntry& entry, Findings& findings) {
    if (SuffixOf(entry.path) != ".cu") return;
    const std::string_view name = LeafOf(entry.path);
    const std::string stem(name.substr(0, name.size() - 3));
    if (!IsIdentifier(stem)) {
      findings.Floor("cu.stem", {},
                     {stem, fmt::format("{} cannot name an extension module", stem),
                      "use letters, digits and _"});
    }
    const auto [first, added] = stems_.emplace(stem, entry.path);
    if (!added) {
      findings.Floor("tree.stem_clash", {},
                     {stem, fmt::format("{} would build the same module", first->second),
                      "rename one of them"});
    }
    for (const ScanEntry& other : bundle_.entries) {
      if (other.path != stem + ".py" && !other.path.starts_with(stem + "/")) continue;
      findings.Floor("tree.stem_clash", {},
                     {stem, fmt::format("{} is a Python module of the same name", other.path),
                      "rename one of them"});
      break;
    }
  }

  void Totals(Findings& findings) {
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (const ScanEntry& entry : bundle_.entries) {
      files += entry.kind == bundle::EntryKind::kFile ? 1 : 0;
      bytes += entry.content.size();
    }
    if (files > kMaxTreeFiles) {
      findings.Strict("tree.limit", {},
                      {"files", fmt::format("{} files, {} are allowed", files, kMaxTreeFiles),
                       "leave out what the rows do not use"});
    }
    if (bytes > kMaxTreeBytes) {
      findings.Strict("tree.limit", {},
                      {"total", fmt::format("{} bytes, {} are allowed", bytes, kMaxTreeBytes),
                       "leave out what the rows do not use"});
    }
  }

  const ScanBundle& bundle_;
  bundle::Mode mode_;
  std::vector<Error> errors_;
  std::map<std::string, std::string> folded_;
  std::map<std::string, std::string> stems_;
};

}  // namespace

std::string_view SuffixOf(std::string_view path) {
  const std::string_view name = LeafOf(path);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  return name.substr(dot);
}

bool IsSkippedPath(std::string_view path) {
  for (const std::string_view part : {"__pycache__"sv, ".git"sv}) {
    const std::string padded = fmt::format("/{}/", path);
    if (padded.find(fmt::format("/{}/", part)) != std::string::npos) return true;
  }
  return false;
}

FileLanguage LanguageOf(std::string_view path) {
  const std::string_view suffix = SuffixOf(path);
  if (suffix == ".py") return FileLanguage::kPython;
  if (suffix == ".cu" || suffix == ".cuh") return FileLanguage::kCuda;
  if (suffix == ".patch" || suffix == ".diff") return FileLanguage::kPatch;
  if (suffix == ".json" || suffix == ".toml") return FileLanguage::kData;
  return FileLanguage::kNone;
}

std::vector<Error> CheckTree(const ScanBundle& bundle, bundle::Mode mode) {
  return TreeCheck(bundle, mode).Run();
}

}  // namespace cacheon::policy
