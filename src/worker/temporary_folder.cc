// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cacheon/core/unique_fd.h"

namespace cacheon::worker {

Result<TemporaryFolder> TemporaryFolder::Create(const FileTree& content) {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  // The process's number says whose folder it is if the process is killed.
  std::string name =
      fmt::format("{}/cacheon-worker-{}-XXXXXX", error ? "/tmp" : base.string(), getpid());
  if (mkdtemp(name.data()) == nullptr) {
    return FailErrno("worker.bundle", "cannot create a temporary folder", errno);
  }
  TemporaryFolder folder;
  folder.path_ = name;
  constexpr mode_t kReadableByAll = 0755;
  const UniqueFd target(open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!target || chmod(name.c_str(), kReadableByAll) != 0) {
    return FailErrno("worker.bundle", "cannot open a temporary folder", errno);
  }
  if (const int failed = WriteFileTree(target.get(), content); failed != 0) {
    return FailErrno("worker.bundle", "cannot copy the bundle", failed);
  }
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace cacheon::worker
