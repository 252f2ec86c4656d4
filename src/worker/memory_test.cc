// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/worker/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/unique_fd.h"
#include "cacheon/tensor/layout.h"

namespace cacheon::worker {
namespace {

constexpr std::size_t kPage = 4096;

Result<TensorMemory> Make(std::vector<std::int64_t> shape, GuardSide side, std::int64_t offset = 0,
                          std::size_t alignment = 64) {
  auto layout = tensor::DenseLayout(std::move(shape));
  return TensorMemory::Create("t", tensor::DType::kFloat32, std::move(*layout), offset, side,
                              alignment);
}

TEST(TensorMemoryTest, GuardAfterTouchesTheLastElement) {
  const auto memory = Make({16}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bytes().size(), kPage);
  EXPECT_EQ(memory->element_begin_byte() + memory->element_span_bytes(), kPage);
}

TEST(TensorMemoryTest, GuardAfterLeavesLessThanTheAlignment) {
  const auto memory = Make({17}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->element_begin_byte() % 64, 0U);
  EXPECT_LT(kPage - memory->element_begin_byte() - memory->element_span_bytes(), 64U);
}

TEST(TensorMemoryTest, GuardAfterTouchesOddSizesWithElementAlignment) {
  const auto memory = Make({17}, GuardSide::kAfter, 0, 4);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->element_begin_byte() + 17 * 4, kPage);
}

TEST(TensorMemoryTest, GuardBeforeTouchesTheStorage) {
  const auto memory = Make({17}, GuardSide::kBefore, 3);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->storage_begin_byte(), 0U);
  EXPECT_EQ(memory->element_begin_byte(), 3 * sizeof(float));
}

TEST(TensorMemoryTest, OffsetStandsBeforeTheFirstElement) {
  const auto memory = Make({8}, GuardSide::kAfter, 5);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->storage_begin_byte() % 64, 0U);
  EXPECT_EQ(memory->element_begin_byte(), memory->storage_begin_byte() + 5 * sizeof(float));
}

TEST(TensorMemoryTest, EmptyTensorHasAPage) {
  const auto memory = Make({0, 4}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bytes().size(), kPage);
  EXPECT_EQ(memory->element_span_bytes(), 0U);
}

TEST(TensorMemoryTest, WritesLandInTheFile) {
  auto memory = Make({2048}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  const std::vector<std::byte> block(100, std::byte{7});
  ASSERT_TRUE(memory->Write(5000, block));
  EXPECT_EQ(memory->bytes()[4999], std::byte{0});
  EXPECT_EQ(memory->bytes()[5000], std::byte{7});
  EXPECT_EQ(memory->bytes()[5099], std::byte{7});
  EXPECT_EQ(memory->bytes()[5100], std::byte{0});
}

TEST(TensorMemoryTest, SealedMemoryKeepsItsContentAndRefusesWriters) {
  auto memory = Make({16}, GuardSide::kBefore);
  ASSERT_TRUE(memory);
  tensor::Elements<float>(memory->view())[1] = 2.5F;
  ASSERT_TRUE(memory->Seal());
  ASSERT_TRUE(memory->Seal());
  EXPECT_TRUE(memory->sealed());
  EXPECT_TRUE(memory->writable_bytes().empty());
  EXPECT_EQ(memory->writable_fd(), -1);
  EXPECT_EQ(tensor::Elements<float>(memory->const_view())[1], 2.5F);
  const std::string self = "/proc/self/fd/" + std::to_string(memory->read_only_fd());
  const UniqueFd writer(open(self.c_str(), O_RDWR | O_CLOEXEC));
  if (!writer) return;  // refused at the door, which is as good
  EXPECT_EQ(pwrite(writer.get(), "x", 1, 0), -1);
  EXPECT_EQ(mmap(nullptr, kPage, PROT_WRITE, MAP_SHARED, writer.get(), 0), MAP_FAILED);
}

TEST(TensorMemoryTest, ReadOnlyDescriptorCannotBeMappedForWriting) {
  const auto memory = Make({16}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  EXPECT_EQ(mmap(nullptr, kPage, PROT_WRITE, MAP_SHARED, memory->read_only_fd(), 0), MAP_FAILED);
}

TEST(TensorMemoryTest, NobodyCanChangeTheSize) {
  const auto memory = Make({16}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  EXPECT_EQ(ftruncate(memory->writable_fd(), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(memory->writable_fd(), 2 * kPage), -1);
}

TEST(TensorMemoryTest, SealFailsWhileSomebodyCanStillWrite) {
  auto memory = Make({16}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  void* other = mmap(nullptr, kPage, PROT_WRITE, MAP_SHARED, memory->writable_fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  const Status sealed = memory->Seal();
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().code.text(), "memory.seal");
  EXPECT_NE(sealed.error().message.find("`t`"), std::string::npos);
  EXPECT_FALSE(memory->sealed());
  munmap(other, kPage);
  EXPECT_TRUE(memory->Seal());
}

TEST(TensorMemoryTest, RefusesStorageThatOverflows) {
  const auto memory = Make({16}, GuardSide::kAfter, std::numeric_limits<std::int64_t>::max() - 3);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code.text(), "tensor.overflow");
}

// Sets a limit for the life of the object.
class ScopedLimit {
 public:
  ScopedLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource, &saved_);
    const rlimit changed{.rlim_cur = value, .rlim_max = saved_.rlim_max};
    setrlimit(resource, &changed);
  }
  ~ScopedLimit() { setrlimit(resource_, &saved_); }
  ScopedLimit(const ScopedLimit&) = delete;  // restores once
  ScopedLimit& operator=(const ScopedLimit&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit saved_{};
};

TEST(TensorMemoryTest, NoDescriptorsLeftIsTheMachinesFault) {
  const ScopedLimit limit(RLIMIT_NOFILE, 0);
  const auto memory = Make({16}, GuardSide::kAfter);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code.text(), "memory.create");
  EXPECT_NE(memory.error().message.find("`t`"), std::string::npos);
}

TEST(TensorMemoryTest, ARefusedFillIsTheMachinesFault) {
  auto memory = Make({4096}, GuardSide::kAfter);
  ASSERT_TRUE(memory);
  // A process that ignores the signal gets the error, as at the end of a disk.
  const auto previous = signal(SIGXFSZ, SIG_IGN);
  {
    const ScopedLimit limit(RLIMIT_FSIZE, kPage);
    const std::vector<std::byte> block(kPage, std::byte{1});
    const Status written = memory->Write(2 * kPage, block);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code.text(), "memory.write");
    EXPECT_NE(written.error().message.find("`t`"), std::string::npos);
  }
  signal(SIGXFSZ, previous);
}

TEST(TensorMemoryTest, IdsAreNeverUsedTwice) {
  const std::uint64_t first = Make({1}, GuardSide::kAfter)->id();
  const std::uint64_t second = Make({1}, GuardSide::kAfter)->id();
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace cacheon::worker
