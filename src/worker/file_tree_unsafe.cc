// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because WriteFileTree runs between fork and exec: system calls only, no allocation.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cacheon/core/unique_fd.h"
#include "src/worker/file_tree.h"

namespace cacheon::worker {
namespace {

constexpr std::size_t kMaxEntries = 4096;
constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0444;

int WriteContent(int file, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = write(file, content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return 0;
}

// Adds one entry of the bundle to the tree.
Status AddEntry(const std::filesystem::directory_entry& entry, const std::string& path,
                std::size_t& bytes_left, FileTree& tree) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = entry.symlink_status(error);
  if (error) return Fail("worker.bundle", error.message(), {.file = entry.path().string()});
  if (fs::is_directory(status)) tree.folders.push_back(path);
  if (!fs::is_regular_file(status)) return {};
  auto content = ReadFile(entry.path().string(), bytes_left, /*follow=*/false);
  if (!content) {
    return Fail("worker.bundle", std::move(content.error().message),
                {.file = entry.path().string()});
  }
  bytes_left -= content->size();
  tree.files.push_back({.path = path, .content = std::move(*content)});
  return {};
}

}  // namespace

Result<FileTree> ReadBundle(const std::string& root, const std::string& prefix) {
  namespace fs = std::filesystem;
  FileTree tree{.folders = {prefix}, .files = {}};
  std::size_t bytes_left = kMaxBytes;
  std::error_code error;
  fs::recursive_directory_iterator walk(root, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (tree.folders.size() + tree.files.size() > kMaxEntries) {
      return Fail("worker.bundle", fmt::format("the bundle has more than {} entries", kMaxEntries),
                  {.file = root});
    }
    const std::string path = prefix + "/" + walk->path().lexically_relative(root).string();
    RETURN_IF_ERROR(AddEntry(*walk, path, bytes_left, tree));
  }
  if (error) {
    return Fail("worker.bundle", fmt::format("cannot list the bundle: {}", error.message()),
                {.file = root});
  }
  std::ranges::sort(tree.folders);  // a folder before the folders in it
  return tree;
}

int WriteFileTree(int target, const FileTree& tree) {
  for (const std::string& folder : tree.folders) {
    if (mkdirat(target, folder.c_str(), kFolderMode) != 0 && errno != EEXIST) return errno;
  }
  for (const TextFile& file : tree.files) {
    const int descriptor =
        openat(target, file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
    if (descriptor < 0) return errno;
    const int failed = WriteContent(descriptor, file.content);
    close(descriptor);
    if (failed != 0) return failed;
  }
  return 0;
}

}  // namespace cacheon::worker
