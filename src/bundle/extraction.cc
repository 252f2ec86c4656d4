// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/extraction.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>

#include "cacheon/bundle/text.h"
#include "src/bundle/read_ahead.h"

namespace cacheon::bundle {
namespace {

constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;

void ForEachAncestor(const std::string& path, const std::function<void(std::string)>& visit) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    visit(path.substr(0, slash));
  }
}

}  // namespace

Status Extraction::Begin(const TarMember& member) {
  file_.reset();
  if (++member_count_ > kMaxMembers) {
    return Fail("archive.too_many_members", fmt::format("more than {} members", kMaxMembers), {},
                "a bundle has at most 4,096 files and folders");
  }
  std::string path = member.name;
  while (path.ends_with('/')) path.pop_back();
  // A name of slashes alone is as absolute as one that starts with a slash.
  RETURN_IF_ERROR(CheckMemberPath(path.empty() ? member.name : path));
  RETURN_IF_ERROR(CheckConflicts(path));
  if (member.kind == MemberKind::kOther) {
    return Fail("archive.member_type", Quoted(path) + " is neither a file nor a directory",
                {.file = path}, "remove it, or put a copy of what it points to in its place");
  }
  members_.emplace(path, member.kind);
  if (member.kind == MemberKind::kDirectory) {
    RememberAncestors(path, false);
    return {};
  }
  if (ancestors_.contains(path)) {
    return Fail("archive.path_conflict", Quoted(path) + " is a file and has members below it",
                {.file = path}, "`cacheon pack BUNDLE` writes each path once");
  }
  RETURN_IF_ERROR(sizes_.Add(path, member.size_bytes));
  RememberAncestors(path, true);
  ++file_count_;
  content_bytes_ += member.size_bytes;
  return Create(path);
}

Status Extraction::CheckConflicts(const std::string& path) {
  if (members_.contains(path)) {
    return Fail("archive.duplicate_member", Quoted(path) + " appears twice", {.file = path},
                "`cacheon pack BUNDLE` writes each path once");
  }
  bool below_file = false;
  ForEachAncestor(path, [&](const std::string& ancestor) {
    const auto found = members_.find(ancestor);
    below_file |= found != members_.end() && found->second == MemberKind::kFile;
  });
  if (!below_file) return {};
  return Fail("archive.path_conflict", Quoted(path) + " lies below a file", {.file = path},
              "`cacheon pack BUNDLE` writes each path once");
}

void Extraction::RememberAncestors(const std::string& path, bool of_file) {
  ForEachAncestor(path, [&](std::string ancestor) { ancestors_[std::move(ancestor)] |= of_file; });
}

// One component at a time and without following anything: what is below the root is ours alone, but
// a link that somebody else puts there must not lead us out.
Status Extraction::Create(const std::string& path) {
  const auto fail = [&](std::string_view what) {
    return Fail(FailErrno("io.write", what, errno).error().At({.file = path}));
  };
  UniqueFd directory;
  const auto at = [&] { return directory ? directory.get() : root_fd_; };
  std::string_view rest = path;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string name(rest.substr(0, slash));
    const bool made = mkdirat(at(), name.c_str(), kDirectoryMode) == 0;
    if (!made && errno != EEXIST) return fail("cannot create a directory");
    UniqueFd next(openat(at(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next || (made && fchmod(next.get(), kDirectoryMode) != 0)) {
      return fail("cannot create a directory");
    }
    directory = std::move(next);
    rest.remove_prefix(slash + 1);
  }
  file_.reset(openat(at(), std::string(rest).c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file_ || fchmod(file_.get(), kFileMode) != 0) return fail("cannot create");
  return {};
}

Status Extraction::Append(std::span<const char> content) {
  if (!file_) return {};  // a directory, whose content is empty
  return WriteAll(file_.get(), std::string_view(content.data(), content.size()));
}

Status Extraction::Finish() {
  file_.reset();
  if (file_count_ == 0) {
    return Fail("archive.no_files", "the archive has no file", {},
                "a bundle holds at least manifest.toml and a source");
  }
  for (const auto& [path, kind] : members_) {
    if (kind != MemberKind::kDirectory) continue;
    const auto found = ancestors_.find(path);
    if (found != ancestors_.end() && found->second) continue;
    return Fail("archive.empty_directory", Quoted(path) + " holds no file", {.file = path},
                "remove it; directories are no part of a bundle");
  }
  return {};
}

std::string Extraction::Wrapper() const {
  std::set<std::string_view> top;
  for (const auto& [path, kind] : members_) {
    top.insert(std::string_view(path).substr(0, path.find('/')));
  }
  if (top.size() != 1) return "";
  const std::string only(*top.begin());
  return ancestors_.contains(only) ? only : "";
}

}  // namespace cacheon::bundle
