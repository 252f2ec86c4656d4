// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "cacheon/bundle/archive.h"
#include "cacheon/bundle/content_hash.h"
#include "cacheon/bundle/text.h"
#include "cacheon/core/sha256.h"
#include "cacheon/core/unique_fd.h"
#include "src/bundle/extraction.h"
#include "src/bundle/gzip_stream.h"
#include "src/bundle/read_ahead.h"
#include "src/bundle/tar_reader.h"

namespace cacheon::bundle {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissionBits = 07777;
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;

// A directory beside the destination that goes away with everything in it unless it was moved.
class Staging {
 public:
  static Result<Staging> Create(const fs::path& destination) {
    std::error_code error;
    const fs::path parent = fs::absolute(destination, error).parent_path();
    std::string pattern = (parent / ".cacheon-unpack-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return Fail(FailErrno("io.write", "cannot create a directory beside", errno)
                      .error()
                      .At({.file = destination.string()}));
    }
    Staging staging(std::move(pattern));
    staging.fd_.reset(open(staging.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!staging.fd_) return FailErrno("io.write", "cannot open", errno);
    return staging;
  }
  ~Staging() {
    std::error_code ignored;  // cleanup must not replace the first error
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Staging(Staging&& other) noexcept
      : path_(std::exchange(other.path_, {})), fd_(std::move(other.fd_)) {}
  Staging& operator=(Staging&&) = delete;  // moved once, into the Result

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

 private:
  explicit Staging(std::string path) : path_(std::move(path)) {}

  std::string path_;
  UniqueFd fd_;
};

Status CheckDestination(const std::string& destination) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(destination, error);
  if (!fs::exists(status)) return {};
  if (fs::is_directory(status) && fs::is_empty(destination, error) && !error) return {};
  return Fail("archive.destination", "the destination exists and is no empty directory",
              {.file = destination}, "name a folder that does not exist yet");
}

Status ExtractMember(TarReader& tar, Extraction& extraction, const TarMember& member) {
  RETURN_IF_ERROR(extraction.Begin(member));
  for (;;) {
    ASSIGN_OR_RETURN(const std::span<const char> content, tar.Content());
    if (content.empty()) return {};
    RETURN_IF_ERROR(extraction.Append(content));
  }
}

// A fault of the stream comes before a fault of a member, also when it stands behind it: after the
// first refused member nothing is written, but the stream is read to its end.
Status ExtractAll(TarReader& tar, Extraction& extraction) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<TarMember> member, tar.Next());
    if (!member) return extraction.Finish();
    Status extracted = ExtractMember(tar, extraction, *member);
    if (extracted) continue;
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<TarMember> skipped, tar.Next());
      if (!skipped) return extracted;
    }
  }
}

Result<UniqueFd> OpenArchive(const std::string& archive) {
  UniqueFd fd(open(archive.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0) {
    return Fail(FailErrno("io.open", "cannot open", errno).error().At({.file = archive}));
  }
  if (!S_ISREG(info.st_mode)) return Fail("io.open", "not a regular file", {.file = archive});
  return fd;
}

Status CheckNode(int root_fd, const TreeEntry& entry) {
  RETURN_IF_ERROR(CheckMemberPath(entry.path));
  const bool directory = entry.kind == EntryKind::kDirectory;
  const UniqueFd fd = OpenBelow(root_fd, entry.path, O_PATH);
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0) {
    return Fail(FailErrno("io.read", "cannot stat", errno).error().At({.file = entry.path}));
  }
  const bool kind_holds = directory ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode);
  const mode_t mode = directory ? kDirectoryMode : kFileMode;
  if (kind_holds && info.st_uid == geteuid() && (info.st_mode & kPermissionBits) == mode &&
      (directory || info.st_nlink == 1)) {
    return {};
  }
  return Fail("archive.cache_unsafe",
              Quoted(entry.path) + " is not as extraction leaves it (owner, mode, links)",
              {.file = entry.path}, "remove the tree and unpack the archive again");
}

Status CheckNodes(const std::string& root) {
  ASSIGN_OR_RETURN(const std::vector<TreeEntry> entries, ListTree(root, Descend::kAll));
  const UniqueFd root_fd(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const TreeEntry& entry : entries) RETURN_IF_ERROR(CheckNode(root_fd.get(), entry));
  return {};
}

// The hash before the names, as the order of section 3.3 has it.
Result<UnpackReport> CheckBundle(const std::string& root,
                                 const std::optional<std::string>& expected_hash) {
  ASSIGN_OR_RETURN(const ContentIdentity identity, HashTree(root));
  if (expected_hash && identity.hash != *expected_hash) {
    return Fail("archive.hash_mismatch",
                fmt::format("the content hash is {}, expected {}", identity.hash, *expected_hash),
                {}, "fetch the archive again, or check which bundle was meant");
  }
  RETURN_IF_ERROR(CheckNodes(root));
  return UnpackReport{.content_hash = identity.hash,
                      .file_count = identity.files.size(),
                      .content_bytes = identity.content_bytes};
}

}  // namespace

Result<UnpackReport> UnpackArchive(const std::string& archive, const std::string& destination,
                                   const std::optional<std::string>& expected_hash) {
  if (expected_hash && !ParseSha256Hex(*expected_hash)) {
    return Fail("archive.expected_hash_format", Quoted(*expected_hash) + " is no content hash", {},
                "a content hash is 64 lower-case hexadecimal digits");
  }
  RETURN_IF_ERROR(CheckDestination(destination));
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenArchive(archive));
  ASSIGN_OR_RETURN(const Staging staging, Staging::Create(destination));
  GzipReader stream(fd.get());
  TarReader tar(stream);
  Extraction extraction(staging.fd());
  if (Status extracted = ExtractAll(tar, extraction); !extracted) {
    return Fail(std::move(extracted.error()).InFile(archive));
  }
  const std::string wrapper = extraction.Wrapper();
  const std::string root = wrapper.empty() ? staging.path() : staging.path() + '/' + wrapper;
  auto report = CheckBundle(root, expected_hash);
  if (!report) return Fail(std::move(report.error()).InFile(archive));
  if (rename(root.c_str(), destination.c_str()) != 0) {
    return Fail(
        FailErrno("io.write", "cannot move the tree to", errno).error().At({.file = destination}));
  }
  return report;
}

Status CheckExtractedTree(const std::string& root, const std::string& expected_hash) {
  RETURN_IF_ERROR(CheckNodes(root));
  ASSIGN_OR_RETURN(const ContentIdentity identity, HashTree(root));
  if (identity.hash == expected_hash) return {};
  return Fail("archive.cache_mismatch",
              fmt::format("the tree hashes to {}, expected {}", identity.hash, expected_hash),
              {.file = root}, "remove the tree and unpack the archive again");
}

}  // namespace cacheon::bundle
