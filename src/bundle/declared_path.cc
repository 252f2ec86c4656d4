// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/declared_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "cacheon/bundle/text.h"
#include "cacheon/bundle/tree.h"

namespace cacheon::bundle {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel counts them

bool IsLink(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// The components of `path` that mean something, last first, so that they can be popped.
void PushComponents(std::string_view path, std::vector<std::string>& pending) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view component =
        slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!component.empty() && component != ".") pending.emplace_back(component);
    if (slash == std::string_view::npos) return;
    path = path.substr(0, slash);
  }
}

// Follows links below `start` without requiring that anything exists: what is missing is taken as
// it is spelt, and `..` goes up from where the links have led. nullopt for a loop of links.
std::optional<std::string> Canonicalise(std::string start, std::string_view relative) {
  std::vector<std::string> pending;
  PushComponents(relative, pending);
  std::string at = std::move(start);
  int links = 0;
  while (!pending.empty()) {
    const std::string component = std::move(pending.back());
    pending.pop_back();
    if (component == "..") {
      at.resize(at.rfind('/') == std::string::npos ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + '/' + component;
    if (!IsLink(next)) {
      at = next;
      continue;
    }
    char target[PATH_MAX];
    const ssize_t length = readlink(next.c_str(), target, sizeof(target));
    if (length < 0 || ++links > kMaxLinks) return std::nullopt;
    const std::string_view text(target, static_cast<std::size_t>(length));
    if (text.starts_with('/')) at.clear();
    PushComponents(text, pending);
  }
  return at;
}

std::string JoinLexically(const std::string& root, std::string_view relative) {
  std::vector<std::string> components;
  PushComponents(relative, components);
  std::string joined = root;
  for (auto component = components.rbegin(); component != components.rend(); ++component) {
    joined += '/' + *component;
  }
  return joined;
}

Status CheckSuffix(const std::string& resolved, PathUse use) {
  const std::string_view suffix = PathSuffix(resolved);
  if (use == PathUse::kCuda && suffix != ".cu" && suffix != ".cuh") {
    return Fail("manifest.path_suffix", Quoted(resolved) + " is no CUDA source", {},
                "CUDA sources end in .cu or .cuh, in lower case");
  }
  if (use == PathUse::kPatch && suffix != ".patch" && suffix != ".diff") {
    return Fail("manifest.path_suffix", Quoted(resolved) + " is no patch", {},
                "dependency patches end in .patch or .diff, in lower case");
  }
  return {};
}

Status CheckText(std::string_view text) {
  if (text.empty()) {
    return Fail("manifest.path_empty", "a path is a string that is not empty", {},
                "name a file of the bundle, relative to its root");
  }
  if (text.find('\0') != std::string_view::npos) {
    return Fail("manifest.path_nul", "a path has no NUL", {}, "remove the \\u0000");
  }
  if (text.starts_with('/')) {
    return Fail("manifest.path_absolute", Quoted(text) + " is absolute", {},
                "write the path relative to the bundle's root");
  }
  return {};
}

Status CheckFile(const std::string& path, std::string_view text) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return Fail("manifest.path_not_found", Quoted(text) + " does not exist", {},
                "paths are relative to the bundle's root and case-sensitive");
  }
  if (!S_ISREG(info.st_mode)) {
    return Fail("manifest.path_not_file", Quoted(text) + " is not a regular file", {},
                "name a file, not a folder");
  }
  return {};
}

}  // namespace

Result<BundleRoot> BundleRoot::Open(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), &std::free);
  struct stat info;
  if (!real || stat(real.get(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return Fail("manifest.root_not_directory", "a bundle is a directory", {.file = path},
                "name the folder that holds manifest.toml");
  }
  const std::string absolute = real.get();
  return BundleRoot(absolute == "/" ? "" : absolute);
}

Result<DeclaredPath> BundleRoot::Resolve(std::string_view text, PathUse use) const {
  RETURN_IF_ERROR(CheckText(text));
  if (use != PathUse::kPlain && IsLink(JoinLexically(path_, text))) {
    return Fail("manifest.path_symlink", Quoted(text) + " is a link", {},
                "put a copy of the file in its place");
  }
  // No path of this length exists, and following it would take time without bound.
  if (text.size() >= PATH_MAX) {
    return Fail("manifest.path_not_found", fmt::format("a path of {} bytes", text.size()), {},
                "paths are shorter than 4,096 bytes");
  }
  const std::optional<std::string> resolved = Canonicalise(path_, text);
  if (!resolved) {
    return Fail("manifest.path_not_found", Quoted(text) + " is a loop of links", {},
                "put the file itself there");
  }
  if (*resolved != path_ && !resolved->starts_with(path_ + '/')) {
    return Fail("manifest.path_escape", Quoted(text) + " leads outside of the bundle", {},
                "everything that a bundle uses lies inside it");
  }
  RETURN_IF_ERROR(CheckFile(resolved->empty() ? "/" : *resolved, text));
  DeclaredPath path{.text = std::string(text), .resolved = resolved->substr(path_.size() + 1)};
  RETURN_IF_ERROR(CheckSuffix(path.resolved, use));
  return path;
}

}  // namespace cacheon::bundle
