// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/read_ahead.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cacheon::bundle {
namespace {

constexpr std::size_t kBlockBytes = 1U << 20U;
constexpr std::size_t kBlockCount = 4;
// Below this a second thread costs more than it hides.
constexpr std::uint64_t kInlineBytes = 2U << 20U;

// A run of bytes of one file inside a block.
struct Segment {
  const TreeEntry* begins = nullptr;  // set when the file starts here
  std::uint64_t file_bytes = 0;       // with `begins`
  std::size_t length = 0;
};

struct Block {
  std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(kBlockBytes);
  std::size_t used = 0;
  std::vector<Segment> segments;
  Status status;      // why reading ended, after the segments
  bool last = false;  // nothing follows
};

// Fills blocks one after the other; small files share one.
class BlockReader {
 public:
  BlockReader(int root_fd, std::span<const TreeEntry> files) : root_fd_(root_fd), files_(files) {}

  void Fill(Block& block) {
    block.used = 0;
    block.segments.clear();
    block.status = FillUntilFull(block);
    block.last = !block.status || Done();
  }

 private:
  bool Done() const { return next_ == files_.size() && !fd_; }

  Status FillUntilFull(Block& block) {
    while (block.used < kBlockBytes && !Done()) {
      if (!fd_) RETURN_IF_ERROR(OpenNext(block));
      RETURN_IF_ERROR(ReadSome(block));
    }
    return {};
  }

  std::unexpected<Error> Changed() const {
    return Fail("tree.changed", "the file changed while it was read",
                {.file = files_[next_ - 1].path}, "let nothing write to the bundle and try again");
  }

  Status OpenNext(Block& block) {
    const TreeEntry& file = files_[next_++];
    fd_ = OpenBelow(root_fd_, file.path, O_RDONLY | O_NONBLOCK);
    if (!fd_) {
      if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR) return Changed();
      return Fail(FailErrno("io.open", "cannot open", errno).error().At({.file = file.path}));
    }
    struct stat info;
    if (fstat(fd_.get(), &info) != 0 || !S_ISREG(info.st_mode)) return Changed();
    remaining_ = static_cast<std::uint64_t>(info.st_size);
    if (remaining_ != file.size_bytes) return Changed();
    block.segments.push_back({.begins = &file, .file_bytes = remaining_});
    return {};
  }

  Status ReadSome(Block& block) {
    if (remaining_ == 0) return FinishFile();
    // A file that continues from the block before has no segment in this one yet.
    if (block.segments.empty()) block.segments.emplace_back();
    const std::size_t room = std::min<std::uint64_t>(kBlockBytes - block.used, remaining_);
    const ssize_t count = read(fd_.get(), block.bytes.get() + block.used, room);
    if (count < 0 && errno == EINTR) return {};
    if (count < 0) {
      return Fail(
          FailErrno("io.read", "cannot read", errno).error().At({.file = files_[next_ - 1].path}));
    }
    if (count == 0) return Changed();
    block.segments.back().length += static_cast<std::size_t>(count);
    block.used += static_cast<std::size_t>(count);
    remaining_ -= static_cast<std::uint64_t>(count);
    return {};
  }

  // A byte beyond the size shows that the file has grown.
  Status FinishFile() {
    std::byte extra;
    if (read(fd_.get(), &extra, 1) != 0) return Changed();
    fd_.reset();
    return {};
  }

  int root_fd_;
  std::span<const TreeEntry> files_;
  std::size_t next_ = 0;
  UniqueFd fd_;
  std::uint64_t remaining_ = 0;
};

Status Deliver(const Block& block, FileSink& sink) {
  std::size_t offset = 0;
  for (const Segment& segment : block.segments) {
    if (segment.begins != nullptr) {
      RETURN_IF_ERROR(sink.OnFile(*segment.begins, segment.file_bytes));
    }
    if (segment.length > 0) {
      RETURN_IF_ERROR(sink.OnBytes({block.bytes.get() + offset, segment.length}));
    }
    offset += segment.length;
  }
  return block.status;
}

Status ReadInline(BlockReader reader, FileSink& sink) {
  Block block;
  for (;;) {
    reader.Fill(block);
    RETURN_IF_ERROR(Deliver(block, sink));
    if (block.last) return {};
  }
}

// A ring of blocks: one thread fills, the caller delivers.
class Ring {
 public:
  Block* BlockToFill() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || filled_ - delivered_ < kBlockCount; });
    return stopped_ ? nullptr : &blocks_[filled_ % kBlockCount];
  }
  void Filled() { Advance(filled_); }
  const Block& BlockToDeliver() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ > delivered_; });
    return blocks_[delivered_ % kBlockCount];
  }
  void Delivered() { Advance(delivered_); }
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  void Advance(std::size_t& counter) {
    const std::lock_guard lock(mutex_);
    ++counter;
    changed_.notify_all();
  }

  std::array<Block, kBlockCount> blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0;
  std::size_t delivered_ = 0;
  bool stopped_ = false;
};

Status ReadAhead(BlockReader reader, FileSink& sink) {
  Ring ring;
  std::jthread thread([&] {
    for (Block* block = ring.BlockToFill(); block != nullptr; block = ring.BlockToFill()) {
      reader.Fill(*block);
      const bool last = block->last;
      ring.Filled();
      if (last) return;
    }
  });
  for (;;) {
    const Block& block = ring.BlockToDeliver();
    const bool last = block.last;
    if (Status delivered = Deliver(block, sink); !delivered || last) {
      ring.Stop();
      return delivered;
    }
    ring.Delivered();
  }
}

}  // namespace

UniqueFd OpenBelow(int root_fd, std::string_view path, int flags) {
  UniqueFd directory;
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string component(path.substr(0, slash));
    const int from = directory ? directory.get() : root_fd;
    if (slash == std::string_view::npos) {
      return UniqueFd(openat(from, component.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    }
    UniqueFd next(openat(from, component.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return next;
    directory = std::move(next);
    path.remove_prefix(slash + 1);
  }
}

Status ReadFiles(const std::string& root, std::span<const TreeEntry> files, FileSink& sink) {
  const UniqueFd root_fd(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root_fd) {
    return Fail(FailErrno("io.open", "cannot open", errno).error().At({.file = root}));
  }
  std::uint64_t total = 0;
  for (const TreeEntry& file : files) total += file.size_bytes;
  BlockReader reader(root_fd.get(), files);
  if (total <= kInlineBytes) return ReadInline(std::move(reader), sink);
  return ReadAhead(std::move(reader), sink);
}

}  // namespace cacheon::bundle
