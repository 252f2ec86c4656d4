// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace cacheon::tensor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(ElementCount, MultipliesTheShape) {
  EXPECT_EQ(ElementCount(std::vector<std::int64_t>{}), 1);
  EXPECT_EQ(ElementCount(std::vector<std::int64_t>{3, 5, 7}), 105);
  EXPECT_EQ(ElementCount(std::vector<std::int64_t>{kHuge, 2, 0}), 0);
  EXPECT_EQ(ElementCount(std::vector<std::int64_t>{kHuge, 1}), kHuge);
}

TEST(ElementCount, RefusesWhatInt64CannotCount) {
  const auto count = ElementCount(std::vector<std::int64_t>{1LL << 32, 1LL << 31});
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code.text(), "tensor.overflow");
}

TEST(ElementCount, RefusesNegativeDimsAndNamesThePlace) {
  const auto count = ElementCount(std::vector<std::int64_t>{4, -1, 0});
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code.text(), "tensor.negative_dim");
  EXPECT_EQ(count.error().where.key_path, "shape[1]");
}

TEST(DenseLayout, HasRowMajorStrides) {
  EXPECT_THAT(DenseLayout({3, 5, 7})->strides, ElementsAre(35, 7, 1));
  EXPECT_THAT(DenseLayout({})->strides, IsEmpty());
  EXPECT_THAT(DenseLayout({9})->strides, ElementsAre(1));
}

TEST(DenseLayout, CountsZeroDimsAsOne) {
  EXPECT_THAT(DenseLayout({3, 0, 7})->strides, ElementsAre(7, 7, 1));
}

TEST(DenseLayout, RefusesOverflow) {
  EXPECT_EQ(DenseLayout({2, 1LL << 62}).error().code.text(), "tensor.overflow");
  EXPECT_EQ(DenseLayout({0, 1LL << 40, 1LL << 40}).error().code.text(), "tensor.overflow");
  EXPECT_EQ(DenseLayout({-2}).error().where.key_path, "shape[0]");
}

TEST(PaddedLayout, PadsRows) {
  EXPECT_THAT(PaddedLayout({3, 5}, 3)->strides, ElementsAre(8, 1));
  EXPECT_THAT(PaddedLayout({2, 3, 5}, 3)->strides, ElementsAre(24, 8, 1));
  EXPECT_THAT(PaddedLayout({4}, 3)->strides, ElementsAre(4));
  EXPECT_THAT(PaddedLayout({3, 0}, 2)->strides, ElementsAre(3, 1));
  EXPECT_THAT(PaddedLayout({}, 3)->strides, IsEmpty());
}

TEST(PaddedLayout, PadsByAtLeastOne) {
  EXPECT_THAT(PaddedLayout({3, 5}, 0)->strides, ElementsAre(6, 1));
  EXPECT_THAT(PaddedLayout({3}, 0)->strides, ElementsAre(2));
}

TEST(PaddedLayout, RefusesOverflow) {
  EXPECT_EQ(PaddedLayout({2, kHuge}, 1).error().code.text(), "tensor.overflow");
  EXPECT_EQ(PaddedLayout({2, 2, 1LL << 62}, 1).error().code.text(), "tensor.overflow");
  EXPECT_EQ(PaddedLayout({1, -5}, 1).error().code.text(), "tensor.negative_dim");
}

TEST(SpanElements, ReachesFromTheFirstToTheLastElement) {
  EXPECT_EQ(SpanElements({{3, 5}, {8, 1}}), 2 * 8 + 4 + 1);
  EXPECT_EQ(SpanElements({{}, {}}), 1);
  EXPECT_EQ(SpanElements({{3, 0}, {8, 1}}), 0);
  EXPECT_EQ(SpanElements({{4, 4}, {0, 0}}), 1);
}

TEST(SpanElements, RefusesNegativeStridesAndNamesThePlace) {
  const auto span = SpanElements({{3, 5}, {5, -1}});
  ASSERT_FALSE(span);
  EXPECT_EQ(span.error().code.text(), "tensor.negative_stride");
  EXPECT_EQ(span.error().where.key_path, "strides[1]");
}

TEST(SpanElements, RefusesOverflow) {
  EXPECT_EQ(SpanElements({{3}, {kHuge}}).error().code.text(), "tensor.overflow");
  EXPECT_EQ(SpanElements({{2, 2}, {kHuge - 1, 2}}).error().code.text(), "tensor.overflow");
}

TEST(IsDense, IgnoresStridesThatHaveNoSay) {
  EXPECT_TRUE(IsDense({{3, 5}, {5, 1}}));
  EXPECT_TRUE(IsDense({{1, 5}, {99, 1}}));
  EXPECT_TRUE(IsDense({{3, 0}, {7, 9}}));
  EXPECT_TRUE(IsDense({{}, {}}));
  EXPECT_FALSE(IsDense({{3, 5}, {6, 1}}));
  EXPECT_FALSE(IsDense({{3, 5}, {1, 3}}));
  EXPECT_FALSE(IsDense({{2}, {0}}));
}

TEST(IsNestedRowMajor, AcceptsPaddedRows) {
  EXPECT_TRUE(IsNestedRowMajor({{3, 5}, {8, 1}}));
  EXPECT_TRUE(IsNestedRowMajor({{2, 3, 5}, {100, 8, 1}}));
  EXPECT_TRUE(IsNestedRowMajor({{4}, {3}}));
  EXPECT_TRUE(IsNestedRowMajor({{4, 1}, {3, 9}}));
}

TEST(IsNestedRowMajor, RefusesSharedPlacesAndOtherOrders) {
  EXPECT_FALSE(IsNestedRowMajor({{3, 5}, {4, 1}}));
  EXPECT_FALSE(IsNestedRowMajor({{3, 5}, {1, 3}}));
  EXPECT_FALSE(IsNestedRowMajor({{3, 5}, {10, 2}}));
  EXPECT_FALSE(IsNestedRowMajor({{3}, {0}}));
  EXPECT_FALSE(IsNestedRowMajor({{3}, {-1}}));
  EXPECT_FALSE(IsNestedRowMajor({{4, 3}, {kHuge, 1}}));
}

}  // namespace
}  // namespace cacheon::tensor
