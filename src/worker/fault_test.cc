// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <utility>

#include "cacheon/tensor/layout.h"

namespace cacheon::worker {
namespace {

using testing::HasSubstr;

constexpr const char* kMaps =
    "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus-daemon\n"
    "nonsense\n"
    "7f10-7f20\n"
    "7f0000000000-7f0000001000 r--s 00003000 00:01 1042 /memfd:tensor (deleted)\n"
    "7f0000001000-7f0000002000 ---p 00000000 00:00 0\n"
    "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0    [stack]";

TEST(FindMappingTest, ReadsFileAndOffset) {
  const auto mapping = FindMapping(kMaps, 0x7f0000000ff0);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->begin, 0x7f0000000000U);
  EXPECT_EQ(mapping->end, 0x7f0000001000U);
  EXPECT_EQ(mapping->file_offset, 0x3000U);
  EXPECT_EQ(mapping->device, 1U);
  EXPECT_EQ(mapping->inode, 1042U);
}

TEST(FindMappingTest, EndIsNotInside) { EXPECT_EQ(FindMapping(kMaps, 0x7f0000001000)->inode, 0U); }

TEST(FindMappingTest, LastLineNeedsNoEnd) { EXPECT_TRUE(FindMapping(kMaps, 0x7ffc00000000)); }

TEST(FindMappingTest, HolesAndMalformedLinesAreNoMapping) {
  EXPECT_FALSE(FindMapping(kMaps, 0x10));
  EXPECT_FALSE(FindMapping(kMaps, 0x7f11));
  EXPECT_FALSE(FindMapping("", 0));
}

// A fault at one offset of a granted file of 2 x 3 float32 with padded rows.
class DescribeFaultTest : public testing::Test {
 protected:
  static TensorMemory MakePadded() {
    auto layout = tensor::PaddedLayout({2, 3}, 1);
    return std::move(*TensorMemory::Create("scores", tensor::DType::kFloat32, std::move(*layout), 0,
                                           GuardSide::kBefore));
  }

  Error At(std::uint64_t file_offset, bool writable, Access access = Access::kUnknown) const {
    const Grant grant{.memory = &memory_, .device = 1, .inode = 7, .writable = writable};
    const FaultRecord fault{.signal = SIGSEGV,
                            .address = 0x5008,
                            .access = access,
                            .mapping = Mapping{.begin = 0x5000,
                                               .end = 0x6000,
                                               .file_offset = file_offset - 8,
                                               .device = 1,
                                               .inode = 7}};
    return DescribeFault(fault, {&grant, 1});
  }

  TensorMemory memory_ = MakePadded();
};

TEST_F(DescribeFaultTest, StoreIntoAnInputNamesTheElement) {
  const Error error = At((4 + 2) * 4, false);
  EXPECT_EQ(error.code.text(), "in.mutated");
  EXPECT_EQ(error.where.key_path, "scores");
  EXPECT_THAT(error.message, HasSubstr("`scores[1, 2]`"));
}

TEST_F(DescribeFaultTest, StoreIntoAStrideGapSaysSo) {
  EXPECT_THAT(At(3 * 4, false).message, HasSubstr("stride gap of `scores`"));
}

TEST_F(DescribeFaultTest, SlackOfTheLastPageIsPastTheElements) {
  EXPECT_THAT(At((4 + 3) * 4 + 5, false).message, HasSubstr("5 bytes past the last element"));
}

TEST_F(DescribeFaultTest, GuardAfterCountsFromTheLastElement) {
  const Error error = At(4096, true, Access::kWrite);
  EXPECT_EQ(error.code.text(), "mem.oob_write");
  EXPECT_EQ(error.where.key_path, "scores");
  EXPECT_THAT(error.message, HasSubstr("4068 bytes past the last element of `scores`"));
}

TEST_F(DescribeFaultTest, GuardBeforeCountsToTheFirstElement) {
  const Error error = At(kBeforeOffset + kGuardBytes - 12, true, Access::kRead);
  EXPECT_EQ(error.code.text(), "mem.oob_read");
  EXPECT_EQ(error.where.key_path, "scores");
  EXPECT_THAT(error.message, HasSubstr("12 bytes before the first element of `scores`"));
}

TEST_F(DescribeFaultTest, UnknownDirectionHasItsOwnCode) {
  const Error error = At(4096, false);
  EXPECT_EQ(error.code.text(), "mem.oob_access");
  EXPECT_EQ(error.where.key_path, "scores");
}

TEST_F(DescribeFaultTest, FaultInsideAnOutputIsACrash) {
  EXPECT_EQ(At(4, true).code.text(), "cand.crash");
}

TEST_F(DescribeFaultTest, ForeignFileIsACrash) {
  FaultRecord fault{.signal = SIGSEGV, .address = 0x5000};
  fault.mapping = Mapping{.begin = 0x5000, .end = 0x6000, .device = 1, .inode = 8};
  const Grant grant{.memory = &memory_, .device = 1, .inode = 7, .writable = false};
  EXPECT_EQ(DescribeFault(fault, {&grant, 1}).code.text(), "cand.crash");
}

TEST_F(DescribeFaultTest, UnmappedAddressIsACrashThatNamesIt) {
  const FaultRecord fault{.signal = SIGSEGV, .address = 0x8};
  const Error error = DescribeFault(fault, {});
  EXPECT_EQ(error.code.text(), "cand.crash");
  EXPECT_THAT(error.message, HasSubstr("0x8"));
}

}  // namespace
}  // namespace cacheon::worker
