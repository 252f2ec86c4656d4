// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include "cacheon/core/code.h"
#include "cacheon/core/error.h"

namespace cacheon {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "cacheon_core.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string PathOf(const std::string& name) const { return folder_ / name; }
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(PathOf(name)) << content;
    return PathOf(name);
  }
  std::size_t EntryCount() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesWhenItEnds) {
  int number = -1;
  {
    const UniqueFd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = fd.get();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(UniqueFd, MovesAndReleasesOwnership) {
  UniqueFd first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = first.get();
  UniqueFd second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): empty after a move, by contract
  EXPECT_EQ(second.get(), number);
  UniqueFd third;
  third = std::move(second);
  EXPECT_EQ(third.release(), number);
  EXPECT_FALSE(third);
  EXPECT_TRUE(IsOpen(number));
  close(number);
}

TEST_F(FileTest, ReadFileReturnsAllBytes) {
  const std::string content("a\0b\n", 4);
  EXPECT_EQ(ReadFile(Write("f", content), 4).value(), content);
  EXPECT_EQ(ReadFile(Write("empty", ""), 0).value(), "");
}

TEST_F(FileTest, ReadFileTakesFilesWhoseSizeIsUnknown) {
  EXPECT_FALSE(ReadFile("/proc/self/status", 1 << 20).value().empty());
}

TEST_F(FileTest, ReadFileSaysWhatCannotBeOpened) {
  const Result<std::string> missing = ReadFile(PathOf("missing"), 10);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code("io.open"));
  EXPECT_EQ(missing.error().where, Place{.file = PathOf("missing")});
  EXPECT_EQ(missing.error().message, "cannot open: No such file or directory");
}

TEST_F(FileTest, ReadFileTakesRegularFilesOnly) {
  ASSERT_EQ(mkfifo(PathOf("fifo").c_str(), 0600), 0);
  for (const std::string& path : {PathOf("fifo"), folder_.string(), std::string("/dev/null")}) {
    const Result<std::string> result = ReadFile(path, 10);
    ASSERT_FALSE(result.has_value()) << path;
    EXPECT_EQ(result.error().code, Code("io.open")) << path;
    EXPECT_EQ(result.error().where.file, path);
  }
}

TEST_F(FileTest, ReadFileFollowsLinksOnlyWhenAsked) {
  fs::create_symlink(Write("f", "x"), PathOf("link"));
  EXPECT_EQ(ReadFile(PathOf("link"), 10).value(), "x");
  const Result<std::string> result = ReadFile(PathOf("link"), 10, false);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code("io.open"));
  EXPECT_EQ(result.error().where.file, PathOf("link"));
}

TEST_F(FileTest, ReadFileStopsAtItsLimit) {
  const Result<std::string> result = ReadFile(Write("f", "12345"), 4);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code("io.too_large"));
  EXPECT_EQ(result.error().where.file, PathOf("f"));
  EXPECT_EQ(ReadFile("/proc/self/status", 10).error().code, Code("io.too_large"));
}

// Reading one's own memory at address 0 fails with an input/output error.
TEST_F(FileTest, ReadFileReportsFailedReads) {
  const Result<std::string> result = ReadFile("/proc/self/mem", 10);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code("io.read"));
  EXPECT_EQ(result.error().where.file, "/proc/self/mem");
}

TEST_F(FileTest, WriteFileAtomicallyReplacesAndLeavesNothingElse) {
  const std::string path = Write("f", "old");
  EXPECT_TRUE(WriteFileAtomically(path, "new").has_value());
  EXPECT_EQ(ReadFile(path, 10).value(), "new");
  EXPECT_EQ(EntryCount(), 1U);
}

TEST_F(FileTest, WriteFileAtomicallyHonoursTheUmask) {
  const mode_t previous = umask(077);
  const Status written = WriteFileAtomically(PathOf("secret"), "x");
  umask(previous);
  ASSERT_TRUE(written.has_value());
  struct stat info{};
  ASSERT_EQ(stat(PathOf("secret").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(FileTest, WriteFileAtomicallyFailsWithThePathThatWasGiven) {
  for (const std::string& path : {PathOf("missing/f"), folder_.string()}) {
    const Status written = WriteFileAtomically(path, "x");
    ASSERT_FALSE(written.has_value()) << path;
    EXPECT_EQ(written.error().code, Code("io.write"));
    EXPECT_EQ(written.error().where, Place{.file = path});
  }
  EXPECT_EQ(EntryCount(), 0U);
}

// `--json=/dev/null` as root must not replace the device by a file.
TEST_F(FileTest, WriteFileAtomicallyWritesIntoDevicesAndPipes) {
  fs::create_symlink("/dev/null", PathOf("device"));
  EXPECT_TRUE(WriteFileAtomically(PathOf("device"), "x").has_value());
  EXPECT_TRUE(fs::is_symlink(PathOf("device")));
  EXPECT_EQ(EntryCount(), 1U);
}

TEST_F(FileTest, WriteFileAtomicallyReportsAFullDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  // Through a link, so that a fault of the writer cannot replace the device itself.
  fs::create_symlink("/dev/full", PathOf("full"));
  const Status written = WriteFileAtomically(PathOf("full"), "x");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Code("io.write"));
  EXPECT_EQ(written.error().where, Place{.file = PathOf("full")});
}

TEST(WriteAll, ReportsAClosedDescriptor) {
  const Status written = WriteAll(-1, "x");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Code("io.write"));
  EXPECT_EQ(written.error().where, Place{});
}

TEST(WriteAll, WaitsForANonBlockingReader) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::size_t received = 0;
  std::jthread reader([&] {
    char buffer[4096];
    for (;;) {
      const ssize_t count = read(read_end.get(), buffer, sizeof buffer);
      if (count == 0) return;
      if (count > 0) received += static_cast<std::size_t>(count);
    }
  });
  EXPECT_TRUE(WriteAll(write_end.get(), text).has_value());
  write_end.reset();
  reader.join();
  EXPECT_EQ(received, text.size());
}

}  // namespace
}  // namespace cacheon
