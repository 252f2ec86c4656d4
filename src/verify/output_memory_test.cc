// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/output_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace cacheon::verify {
namespace {

using tensor::DType;
using worker::GuardSide;

tensor::Layout Dense(std::vector<std::int64_t> shape) {
  return *tensor::DenseLayout(std::move(shape));
}

// An output and a second mapping of its file, as a candidate has one.
class Output {
 public:
  Output(tensor::Layout layout, std::int64_t offset = 0, GuardSide side = GuardSide::kAfter,
         DType dtype = DType::kFloat32, PatternKind kind = PatternKind::kNan)
      : memory_(Make(std::move(layout), offset, side, dtype, kind)) {
    const std::size_t size = memory_.memory().bytes().size();
    void* start =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.memory().writable_fd(), 0);
    CACHEON_CHECK(start != MAP_FAILED, "the test cannot map its output");
    file_ = {static_cast<std::byte*>(start), size};
  }
  Output(const Output&) = delete;  // owns a mapping
  Output& operator=(const Output&) = delete;
  ~Output() { munmap(file_.data(), file_.size()); }

  // Inverts bytes counted from the first element.
  void Change(std::int64_t from, std::int64_t count = 1) {
    const auto begin = static_cast<std::int64_t>(memory_.memory().element_begin_byte());
    for (std::int64_t i = from; i < from + count; ++i) {
      std::byte& byte = file_[static_cast<std::size_t>(begin + i)];
      byte = ~byte;
    }
  }
  void ChangeElements() {
    const std::int64_t item = static_cast<std::int64_t>(tensor::ItemSize(memory_.view().dtype));
    tensor::ForEachRun(memory_.view().layout,
                       [&](std::int64_t offset, std::int64_t count, std::int64_t) {
                         Change(offset * item, count * item);
                       });
  }
  std::int64_t slack_before() const {
    return static_cast<std::int64_t>(memory_.memory().element_begin_byte());
  }
  std::int64_t end() const {
    return static_cast<std::int64_t>(memory_.memory().bytes().size()) - slack_before();
  }
  OutputMemory::Inspection Inspect() const { return memory_.Inspect(); }
  const OutputMemory& memory() const { return memory_; }

 private:
  static OutputMemory Make(tensor::Layout layout, std::int64_t offset, GuardSide side, DType dtype,
                           PatternKind kind) {
    static Secrets secrets;
    return std::move(*OutputMemory::Create({.name = "out",
                                            .role = slots::Role::kOutput,
                                            .dtype = dtype,
                                            .layout = std::move(layout),
                                            .offset_elements = offset},
                                           kind, side, secrets));
  }

  OutputMemory memory_;
  std::span<std::byte> file_;
};

void ExpectSeen(const Output& output, std::int64_t unwritten, std::int64_t first_unwritten,
                std::int64_t changed, std::int64_t first_changed) {
  const OutputMemory::Inspection seen = output.Inspect();
  EXPECT_EQ(seen.unwritten, unwritten);
  EXPECT_EQ(seen.first_unwritten, first_unwritten);
  EXPECT_EQ(seen.changed_guard_bytes, changed);
  EXPECT_EQ(seen.first_changed_byte, first_changed);
}

TEST(OutputMemory, HoldsThePatternWhenNew) {
  for (const GuardSide side : {GuardSide::kAfter, GuardSide::kBefore}) {
    ExpectSeen(Output(Dense({7, 5}), 0, side), 35, 0, 0, 0);
    ExpectSeen(Output(*tensor::PaddedLayout({7, 5}, 3), 11, side), 35, 0, 0, 0);
  }
}

TEST(OutputMemory, SeesThatEveryElementWasWritten) {
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kUInt8}) {
    Output dense(Dense({7, 5}), 3, GuardSide::kAfter, dtype);
    dense.ChangeElements();
    ExpectSeen(dense, 0, -1, 0, 0);
    Output padded(*tensor::PaddedLayout({7, 5}, 3), 3, GuardSide::kBefore, dtype);
    padded.ChangeElements();
    ExpectSeen(padded, 0, -1, 0, 0);
  }
}

TEST(OutputMemory, CountsUnwrittenElementsAndNamesTheFirst) {
  Output output(*tensor::PaddedLayout({4, 5}, 3));  // row stride 8
  output.ChangeElements();
  output.Change((1 * 8 + 2) * 4, 4);  // back to the pattern: element [1, 2]
  output.Change((3 * 8 + 0) * 4, 8);  // and [3, 0], [3, 1]
  ExpectSeen(output, 3, 7, 0, 0);
}

TEST(OutputMemory, TakesAnElementThatChangedInOneByteAsWritten) {
  Output output(Dense({4, 5}));
  output.Change(3 * 4 + 2);
  ExpectSeen(output, 19, 0, 0, 0);
}

TEST(OutputMemory, FindsChangedBytesBeforeTheElements) {
  Output output(Dense({4, 5}), 3);
  output.ChangeElements();
  output.Change(-2, 2);
  ExpectSeen(output, 0, -1, 2, -2);
  output.Change(-output.slack_before());
  ExpectSeen(output, 0, -1, 3, -output.slack_before());
}

TEST(OutputMemory, FindsChangedBytesAfterTheElements) {
  Output output(Dense({4, 5}), 0, GuardSide::kBefore);
  output.ChangeElements();
  output.Change(output.end() - 1);
  ExpectSeen(output, 0, -1, 1, output.end() - 1);
  output.Change(4 * 5 * 4);
  ExpectSeen(output, 0, -1, 2, 80);
}

TEST(OutputMemory, FindsChangedBytesBetweenRows) {
  Output output(*tensor::PaddedLayout({4, 5}, 3));
  output.ChangeElements();
  output.Change(5 * 4);          // just behind row 0
  output.Change(2 * 8 * 4 - 1);  // just before row 2
  ExpectSeen(output, 0, -1, 2, 20);
}

TEST(OutputMemory, CountsOverBlocksOfALargeOutput) {
  // Rows of 3,000 bytes with gaps: rows and gaps lie across the borders of the blocks.
  Output output(*tensor::PaddedLayout({700, 750}, 13), 5);
  output.ChangeElements();
  ExpectSeen(output, 0, -1, 0, 0);
  const std::int64_t row_bytes = 763 * 4;
  output.Change(600 * row_bytes, 750 * 4);       // row 600 is as it was
  output.Change(343 * row_bytes + 749 * 4, 4);   // and the last element of row 343
  output.Change(500 * row_bytes + 750 * 4, 52);  // the gap behind row 500
  ExpectSeen(output, 751, 343 * 750 + 749, 52, 500 * row_bytes + 750 * 4);
}

TEST(OutputMemory, AnEmptyOutputHasGuardsAlone) {
  Output output(Dense({0, 5}));
  ExpectSeen(output, 0, -1, 0, 0);
  output.Change(output.end() - 1);
  EXPECT_EQ(output.Inspect().changed_guard_bytes, 1);
}

TEST(OutputMemory, FingerprintSeesEveryByteOfTheFile) {
  Output output(*tensor::PaddedLayout({4, 5}, 3));
  const std::uint64_t before = output.memory().Fingerprint(9);
  for (const std::int64_t place :
       {-output.slack_before(), std::int64_t{0}, std::int64_t{21}, output.end() - 1}) {
    output.Change(place);
    EXPECT_NE(output.memory().Fingerprint(9), before) << place;
    output.Change(place);
  }
  EXPECT_EQ(output.memory().Fingerprint(9), before);
}

}  // namespace
}  // namespace cacheon::verify
