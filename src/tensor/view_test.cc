// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <vector>

namespace cacheon::tensor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using ElementRun = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<ElementRun> Runs(const Layout& layout) {
  std::vector<ElementRun> runs;
  ForEachRun(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t first) {
    runs.emplace_back(offset, count, first);
  });
  return runs;
}

TEST(ForEachRun, TakesADenseTensorAtOnce) {
  EXPECT_THAT(Runs({{2, 3, 5}, {15, 5, 1}}), ElementsAre(ElementRun{0, 30, 0}));
  EXPECT_THAT(Runs({{}, {}}), ElementsAre(ElementRun{0, 1, 0}));
  EXPECT_THAT(Runs({{1, 4, 1}, {77, 1, 9}}), ElementsAre(ElementRun{0, 4, 0}));
}

TEST(ForEachRun, TakesPaddedRowsOneByOne) {
  EXPECT_THAT(Runs({{2, 2, 3}, {20, 8, 1}}),
              ElementsAre(ElementRun{0, 3, 0}, ElementRun{8, 3, 3}, ElementRun{20, 3, 6},
                          ElementRun{28, 3, 9}));
}

TEST(ForEachRun, TakesSeparateElementsOneByOne) {
  EXPECT_THAT(Runs({{2, 2}, {1, 2}}), ElementsAre(ElementRun{0, 1, 0}, ElementRun{2, 1, 1},
                                                  ElementRun{1, 1, 2}, ElementRun{3, 1, 3}));
  EXPECT_THAT(Runs({{3}, {0}}),
              ElementsAre(ElementRun{0, 1, 0}, ElementRun{0, 1, 1}, ElementRun{0, 1, 2}));
}

TEST(ForEachRun, TakesNothingOfAnEmptyTensor) { EXPECT_THAT(Runs({{3, 0}, {1, 1}}), IsEmpty()); }

// Every element by its index, with no thought of runs.
std::int64_t SlowOffset(const Layout& layout, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = layout.shape.size(); i-- > 0;) {
    offset += index % layout.shape[i] * layout.strides[i];
    index /= layout.shape[i];
  }
  return offset;
}

class AnyLayout : public testing::TestWithParam<Layout> {};

TEST_P(AnyLayout, ReadsEveryRangeAsItsElements) {
  const Layout& layout = GetParam();
  std::vector<float> storage(static_cast<std::size_t>(*SpanElements(layout)));
  std::iota(storage.begin(), storage.end(), 1.0F);
  const ConstTensorView view{reinterpret_cast<const std::byte*>(storage.data()), DType::kFloat32,
                             layout};
  const std::int64_t total = *ElementCount(layout.shape);
  for (std::int64_t first = 0; first < total; first += 1 + total / 9) {
    std::vector<float> out(static_cast<std::size_t>(total - first));
    ReadFloats(view, first, out);
    for (std::int64_t i = first; i < total; ++i) {
      ASSERT_EQ(out[i - first], storage[SlowOffset(layout, i)]) << first << " " << i;
    }
  }
}

TEST_P(AnyLayout, WritesItsElementsAndNothingElse) {
  const Layout& layout = GetParam();
  const std::int64_t total = *ElementCount(layout.shape);
  std::vector<std::int32_t> storage(static_cast<std::size_t>(*SpanElements(layout)), -1);
  std::vector<std::int32_t> expected = storage;
  for (std::int64_t i = 0; i < total; ++i) {
    expected[SlowOffset(layout, i)] = static_cast<std::int32_t>(i);
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(total));
  std::iota(values.begin(), values.end(), 0);
  const TensorView view{reinterpret_cast<std::byte*>(storage.data()), DType::kInt32, layout};
  const std::int64_t half = total / 2;
  WriteIntegers(view, 0, std::span(values).first(half));
  WriteIntegers(view, half, std::span(values).subspan(half));
  EXPECT_EQ(storage, expected);
  std::vector<std::int64_t> back(values.size());
  ReadIntegers(view, 0, back);
  EXPECT_EQ(back, values);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AnyLayout,
                         testing::Values(Layout{{}, {}}, Layout{{7}, {1}}, Layout{{700}, {3}},
                                         Layout{{6, 50}, {50, 1}}, Layout{{6, 50}, {57, 1}},
                                         Layout{{6, 50}, {1, 6}},
                                         Layout{{3, 1, 4, 5}, {60, 9, 12, 1}},
                                         Layout{{3, 4, 5}, {41, 10, 2}}));

TEST(ReadFloats, WidensWhateverTheType) {
  const std::vector<std::uint16_t> brains = {0x3F80, 0, 0x4000, 0, 0x4040};
  const ConstTensorView view{
      reinterpret_cast<const std::byte*>(brains.data()), DType::kBFloat16, {{3}, {2}}};
  std::vector<float> out(3);
  ReadFloats(view, 0, out);
  EXPECT_THAT(out, ElementsAre(1, 2, 3));
}

TEST(WriteFloats, NarrowsWhateverTheType) {
  std::vector<std::uint8_t> codes(4, 0xEE);
  WriteFloats({reinterpret_cast<std::byte*>(codes.data()), DType::kFloat8E4M3, {{2}, {2}}}, 0,
              std::vector<float>{1.0F, -448.0F});
  EXPECT_THAT(codes, ElementsAre(0x38, 0xEE, 0xFE, 0xEE));
}

TEST(ReadIntegers, TakesAnyByteButZeroForTrue) {
  const std::vector<std::uint8_t> bytes = {0, 1, 200};
  std::vector<std::int64_t> out(3);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  ReadIntegers({data, DType::kBool, {{3}, {1}}}, 0, out);
  EXPECT_THAT(out, ElementsAre(0, 1, 1));
  ReadIntegers({data, DType::kUInt8, {{3}, {1}}}, 0, out);
  EXPECT_THAT(out, ElementsAre(0, 1, 200));
}

TEST(WriteIntegers, NormalisesBoolsAndKeepsInt64) {
  std::vector<std::uint8_t> bools(2);
  const std::vector<std::int64_t> values = {-9, 1LL << 40};
  WriteIntegers({reinterpret_cast<std::byte*>(bools.data()), DType::kBool, {{2}, {1}}}, 0, values);
  EXPECT_THAT(bools, ElementsAre(1, 1));
  std::vector<std::int64_t> wide(2);
  WriteIntegers({reinterpret_cast<std::byte*>(wide.data()), DType::kInt64, {{2}, {1}}}, 0, values);
  EXPECT_EQ(wide, values);
}

TEST(ElementsDeathTest, RefusesATypeOfAnotherSize) {
  const ConstTensorView view{nullptr, DType::kBFloat16, {{0}, {1}}};
  EXPECT_EXIT(Elements<float>(view), testing::ExitedWithCode(4), "elements of another type");
}

}  // namespace
}  // namespace cacheon::tensor
