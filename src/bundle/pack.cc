// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "cacheon/bundle/archive.h"
#include "cacheon/bundle/content_hash.h"
#include "cacheon/bundle/declared_path.h"
#include "cacheon/bundle/publication_name.h"
#include "cacheon/core/unique_fd.h"
#include "src/bundle/gzip_stream.h"
#include "src/bundle/read_ahead.h"
#include "src/bundle/tar_header.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kTarRecordBytes = 10'240;  // what a tar is padded to
constexpr mode_t kArchiveMode = 0644;
constexpr std::array<char, kTarRecordBytes> kZeros{};

// Writes each file into the tar and the hash as it is read.
class PackSink final : public FileSink {
 public:
  PackSink(GzipWriter& gzip, std::string wrapper) : gzip_(gzip), wrapper_(std::move(wrapper)) {}

  Status OnFile(const TreeEntry& file, std::uint64_t size_bytes) override {
    hasher_.BeginFile(file.path, size_bytes);
    RETURN_IF_ERROR(Pad());
    RETURN_IF_ERROR(Write(WriteTarHeaders(wrapper_ + '/' + file.path, size_bytes)));
    padding_ = TarPadding(size_bytes);
    return {};
  }

  Status OnBytes(std::span<const std::byte> bytes) override {
    hasher_.Append(bytes);
    return Write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  // Two zero blocks and zeros up to a whole record.
  Result<std::string> Finish() {
    RETURN_IF_ERROR(Pad());
    const std::uint64_t end = tar_bytes_ + 2 * kTarBlockBytes;
    const std::uint64_t rest = (kTarRecordBytes - end % kTarRecordBytes) % kTarRecordBytes;
    RETURN_IF_ERROR(Write({kZeros.data(), 2 * kTarBlockBytes}));
    RETURN_IF_ERROR(Write({kZeros.data(), static_cast<std::size_t>(rest)}));
    RETURN_IF_ERROR(gzip_.Finish());
    return hasher_.FinishHex();
  }

 private:
  Status Pad() { return Write({kZeros.data(), std::exchange(padding_, 0)}); }

  Status Write(std::string_view bytes) {
    tar_bytes_ += bytes.size();
    return gzip_.Write(bytes);
  }

  GzipWriter& gzip_;
  std::string wrapper_;
  ContentHasher hasher_;
  std::uint64_t tar_bytes_ = 0;
  std::size_t padding_ = 0;
};

Result<std::string> WrapperOf(const std::string& root) {
  ASSIGN_OR_RETURN(const BundleRoot resolved, BundleRoot::Open(root));
  std::string name = resolved.path().substr(resolved.path().rfind('/') + 1);
  RETURN_IF_ERROR(CheckMemberPath(name));
  return name;
}

// A file that is removed unless it was moved to its name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& final_path)
      : path_(final_path + ".XXXXXX"), fd_(mkostemp(path_.data(), O_CLOEXEC)) {}
  ~TemporaryFile() {
    if (fd_ && !moved_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;  // it owns the file
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }
  bool MoveTo(const std::string& final_path) {
    moved_ = fchmod(fd_.get(), kArchiveMode) == 0 && fsync(fd_.get()) == 0 &&
             rename(path_.c_str(), final_path.c_str()) == 0;
    return moved_;
  }

 private:
  std::string path_;
  UniqueFd fd_;
  bool moved_ = false;
};

void CheckNames(const std::vector<TreeEntry>& files, Mode mode, PackChecks& checks) {
  const auto keep = [&](Status status) {
    if (!status) checks.errors.push_back(std::move(status.error()));
    return status.has_value();
  };
  SizeBudget sizes;
  std::vector<std::string> paths;
  for (const TreeEntry& file : files) {
    paths.push_back(file.path);
    const bool name_holds = keep(CheckMemberPath(file.path));
    if (name_holds && mode == Mode::kStrict) keep(CheckPublicationPath(file.path));
    keep(sizes.Add(file.path, file.size_bytes));
  }
  if (mode == Mode::kCompat || !OrdersDiffer(paths)) return;
  checks.warnings.push_back(
      Fail("publish.order", "the files have another order as plain strings than in the hash", {},
           "a publisher that sorts strings refuses the tree; rename a folder or file so that no "
           "name continues another with a character below '/'")
          .error());
  checks.warnings.back().severity = Severity::kWarning;
}

}  // namespace

PackChecks CheckPackable(const std::string& root, Mode mode) {
  PackChecks checks;
  if (mode == Mode::kStrict) checks.errors = CheckContributionTree(root);
  if (!checks.errors.empty()) return checks;
  auto files = KeptFiles(root);
  auto wrapper = WrapperOf(root);
  if (!files) checks.errors.push_back(std::move(files.error()));
  if (!wrapper) checks.errors.push_back(std::move(wrapper.error()));
  if (!files) return checks;
  if (files->size() > kMaxMembers) {
    checks.errors.push_back(
        Fail("archive.too_many_members",
             fmt::format("{} files, at most {} are taken", files->size(), kMaxMembers), {},
             "a bundle has at most 4,096 files and folders")
            .error());
    return checks;
  }
  CheckNames(*files, mode, checks);
  return checks;
}

Result<std::string> DefaultArchiveName(const std::string& root) {
  ASSIGN_OR_RETURN(const std::string wrapper, WrapperOf(root));
  return wrapper + ".tar.gz";
}

Result<PackReport> PackBundle(const std::string& root, const std::string& output) {
  ASSIGN_OR_RETURN(const std::string wrapper, WrapperOf(root));
  ASSIGN_OR_RETURN(const std::vector<TreeEntry> files, KeptFiles(root));
  TemporaryFile temporary(output);
  const auto fail = [&](std::string_view what) {
    return Fail(FailErrno("io.write", what, errno).error().At({.file = output}));
  };
  if (temporary.fd() < 0) return fail("cannot create");
  GzipWriter gzip(temporary.fd(), kMaxArchiveBytes);
  PackSink sink(gzip, wrapper);
  RETURN_IF_ERROR(ReadFiles(root, files, sink));
  PackReport report{.file_count = files.size()};
  ASSIGN_OR_RETURN(report.content_hash, sink.Finish());
  for (const TreeEntry& file : files) report.content_bytes += file.size_bytes;
  report.archive_bytes = gzip.bytes_written();
  if (!temporary.MoveTo(output)) return fail("cannot write");
  return report;
}

}  // namespace cacheon::bundle
