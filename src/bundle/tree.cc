// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "cacheon/core/unique_fd.h"

namespace cacheon::bundle {
namespace {

bool IsNoiseDirectory(std::string_view name) { return name == "__pycache__" || name == ".git"; }

bool IsNoiseFile(std::string_view name) {
  const std::string_view suffix = PathSuffix(name);
  return suffix == ".pyc" || suffix == ".pyo" || name.starts_with("._");
}

EntryKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kDirectory;
  return S_ISLNK(mode) ? EntryKind::kSymlink : EntryKind::kOther;
}

Result<std::vector<std::string>> NamesIn(int directory_fd, std::size_t limit) {
  const int own = dup(directory_fd);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own < 0 ? nullptr : fdopendir(own), &closedir);
  if (!stream) return FailErrno("io.read", "cannot list", errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == limit) {
      return Fail("tree.too_many_entries", "a bundle has no room for so many entries");
    }
    names.emplace_back(name);
  }
  if (errno != 0) return FailErrno("io.read", "cannot list", errno);
  std::ranges::sort(names);
  return names;
}

// Walks with one open directory per level; names in byte order give hash order.
class Lister {
 public:
  Lister(Descend descend, std::size_t max_entries) : descend_(descend), max_entries_(max_entries) {}

  Status Visit(int directory_fd, const std::string& path, bool excluded, int depth) {
    if (depth > kMaxTreeDepth) {
      return Fail("tree.too_deep", fmt::format("directories nest deeper than {}", kMaxTreeDepth),
                  {.file = path}, "flatten the tree; bundles need a handful of levels");
    }
    auto names = NamesIn(directory_fd, max_entries_ - std::min(max_entries_, entries_.size()));
    if (!names) return Fail(std::move(names.error()).At({.file = path}));
    for (const std::string& name : *names) {
      RETURN_IF_ERROR(
          Add(directory_fd, path.empty() ? name : path + '/' + name, name, excluded, depth));
    }
    return {};
  }

  std::vector<TreeEntry> Take() { return std::move(entries_); }

 private:
  Status Add(int directory_fd, const std::string& path, const std::string& name,
             bool parent_excluded, int depth) {
    struct stat info;
    if (fstatat(directory_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return Fail(FailErrno("io.read", "cannot stat", errno).error().At({.file = path}));
    }
    TreeEntry entry{.path = path, .kind = KindOf(info.st_mode), .link_count = info.st_nlink};
    const bool directory = entry.kind == EntryKind::kDirectory;
    entry.excluded = parent_excluded || IsNoiseDirectory(name) || (!directory && IsNoiseFile(name));
    if (entry.kind == EntryKind::kFile) {
      entry.size_bytes = static_cast<std::uint64_t>(info.st_size);
    }
    const bool excluded = entry.excluded;
    entries_.push_back(std::move(entry));
    if (!directory || (excluded && descend_ == Descend::kKept)) return {};
    const UniqueFd child(
        openat(directory_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!child) {
      return Fail(FailErrno("io.open", "cannot enter", errno).error().At({.file = path}));
    }
    return Visit(child.get(), path, excluded, depth + 1);
  }

  Descend descend_;
  std::size_t max_entries_;
  std::vector<TreeEntry> entries_;
};

std::string_view FinalName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<std::vector<TreeEntry>> ListTree(const std::string& root, Descend descend,
                                        std::size_t max_entries) {
  const UniqueFd fd(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return Fail("bundle.not_directory", "a bundle is a directory that can be read", {.file = root},
                "name the folder that holds manifest.toml");
  }
  Lister lister(descend, max_entries);
  RETURN_IF_ERROR(lister.Visit(fd.get(), "", false, 0));
  return lister.Take();
}

std::string_view PathSuffix(std::string_view path) {
  const std::string_view name = FinalName(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  return name.substr(dot);
}

bool IsExcludedPath(std::string_view path) {
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    if (IsNoiseDirectory(rest.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return IsNoiseFile(rest);
    rest.remove_prefix(slash + 1);
  }
}

bool HashOrderLess(std::string_view a, std::string_view b) {
  // The separator sorts below every byte of a name, which compares lists of components.
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

bool OrdersDiffer(const std::vector<std::string>& paths_in_hash_order) {
  return !std::ranges::is_sorted(paths_in_hash_order);
}

bool IsCanonicalPath(std::string_view path) {
  if (path.find('\\') != std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return false;
  }
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    if (component.empty() || component == "." || component == "..") return false;
    if (slash == std::string_view::npos) return !IsExcludedPath(path);
    rest.remove_prefix(slash + 1);
  }
}

std::vector<Error> CheckContributionTree(const std::string& root) {
  struct stat info;
  if (lstat(root.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    return {Fail("tree.symlink", "the bundle folder itself is a link", {.file = root},
                 "name the folder that the link points to")
                .error()};
  }
  auto entries = ListTree(root);
  if (!entries) return {std::move(entries.error())};
  std::vector<Error> errors;
  bool any_file = false;
  for (const TreeEntry& entry : *entries) {
    if (entry.excluded) continue;
    if (entry.kind == EntryKind::kSymlink) {
      errors.push_back(Fail("tree.symlink", "links are not part of a bundle", {.file = entry.path},
                            "put a copy of the file in its place")
                           .error());
    } else if (entry.kind == EntryKind::kOther) {
      errors.push_back(Fail("tree.nonregular", "neither a file nor a directory",
                            {.file = entry.path}, "remove it")
                           .error());
    } else if (!IsCanonicalPath(entry.path)) {
      errors.push_back(Fail("tree.path_not_canonical", "the path has a backslash or a noise name",
                            {.file = entry.path}, "rename it")
                           .error());
    }
    any_file |= entry.kind == EntryKind::kFile;
  }
  if (!any_file) {
    errors.push_back(Fail("tree.empty", "the bundle has no file", {.file = root}).error());
  }
  return errors;
}

}  // namespace cacheon::bundle
