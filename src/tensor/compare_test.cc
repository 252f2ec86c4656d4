// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "cacheon/core/philox.h"

namespace cacheon::tensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

// A dense tensor that owns its elements.
struct Tensor {
  std::vector<std::int64_t> shape;
  DType dtype;
  std::vector<std::byte> bytes;

  ConstTensorView view() const { return {bytes.data(), dtype, DenseLayout(shape).value()}; }
};

Tensor Floats(std::vector<std::int64_t> shape, const std::vector<float>& values,
              DType dtype = DType::kFloat32) {
  Tensor tensor{shape, dtype, std::vector<std::byte>(values.size() * ItemSize(dtype))};
  NarrowFromFloat(dtype, values, tensor.bytes.data());
  return tensor;
}

Tensor Row(const std::vector<float>& values, DType dtype = DType::kFloat32) {
  return Floats({std::ssize(values)}, values, dtype);
}

Tensor Ids(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values,
           DType dtype = DType::kInt32) {
  Tensor tensor{shape, dtype, std::vector<std::byte>(values.size() * ItemSize(dtype))};
  WriteIntegers({tensor.bytes.data(), dtype, DenseLayout(shape).value()}, 0, values);
  return tensor;
}

Comparison Compared(const Tensor& actual, const Tensor& expected, const ComparePolicy& policy) {
  return Compare(actual.view(), expected.view(), policy).value();
}

constexpr ComparePolicy kClose{.metric = Metric::kAllClose, .atol = 0.02, .rtol = 0.02};
constexpr ComparePolicy kRatio{
    .metric = Metric::kMatchedRatio, .atol = 0.02, .rtol = 0.02, .min_ratio = 0.75};
constexpr ComparePolicy kCosine{.metric = Metric::kCosine, .min_cosine = 0.985};
constexpr ComparePolicy kScores{
    .metric = Metric::kTopKOverlapScores, .min_overlap = 0.875, .top_k = 2};
constexpr ComparePolicy kIndices{.metric = Metric::kTopKOverlapIndices, .min_overlap = 0.9};

TEST(CompareAllClose, AcceptsWhatIsWithinTheBound) {
  const Comparison result = Compared(Row({1, -2, 0.015F}), Row({1.03F, -2.05F, 0}), kClose);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.score, 1.0);
  EXPECT_EQ(result.outside, 0);
  EXPECT_EQ(result.detail, "");
}

TEST(CompareAllClose, CountsAndNamesWhatIsBeyond) {
  const Comparison result =
      Compared(Floats({2, 3}, {1, 2, 0, 4, 9, 7}), Floats({2, 3}, {1, 2, 0.03F, 4, 5, 6}), kClose);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.outside, 3);
  EXPECT_DOUBLE_EQ(result.score, 0.5);
  EXPECT_EQ(result.max_abs, 4.0);
  ASSERT_TRUE(result.worst);
  EXPECT_THAT(result.worst->index, ElementsAre(1, 1));
  EXPECT_EQ(result.worst->expected, 5.0);
  EXPECT_EQ(result.worst->actual, 9.0);
  EXPECT_THAT(result.detail, HasSubstr("3 of 6 elements are beyond 0.02 + 0.02 * |expected|"));
  EXPECT_THAT(result.detail, HasSubstr("worst at [1, 1]: expected 5, got 9"));
}

TEST(CompareAllClose, TheBoundItselfIsWithin) {
  const ComparePolicy half{.metric = Metric::kAllClose, .atol = 0.5, .rtol = 0.25};
  EXPECT_TRUE(Compared(Row({2.5F, 5.5F}), Row({4, 4}), half).passed);
  EXPECT_FALSE(Compared(Row({std::nextafter(5.5F, kInf)}), Row({4}), half).passed);
}

TEST(CompareAllClose, ZeroTolerancesWantTheSameNumber) {
  const ComparePolicy exact{.metric = Metric::kAllClose};
  EXPECT_TRUE(Compared(Row({0.0F, 3}), Row({-0.0F, 3}), exact).passed);
  const Comparison result = Compared(Row({1, 2}), Row({1, std::nextafter(2.0F, 3.0F)}), exact);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.worst->index, ElementsAre(1));
}

TEST(CompareAllClose, FailsOnAnyNonFiniteActual) {
  for (const float bad : {kNan, kInf, -kInf}) {
    const Comparison result = Compared(Row({1, bad, 3}), Row({9, bad, 3}), kClose);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.score, 0);
    EXPECT_EQ(result.max_abs, kInf);
    EXPECT_EQ(result.max_rel, kInf);
    EXPECT_EQ(result.non_finite, 1);
    EXPECT_EQ(result.max_ulp, std::numeric_limits<std::int64_t>::max());
    EXPECT_THAT(result.worst->index, ElementsAre(1)) << "non-finite comes before the larger error";
    EXPECT_THAT(result.detail, HasSubstr("1 of 3 elements are not finite"));
  }
}

TEST(CompareAllClose, ANanReferenceMatchesNothingAndAnInfiniteOneEverything) {
  const Comparison nan = Compared(Row({1, 2}), Row({kNan, 2}), kClose);
  EXPECT_FALSE(nan.passed);
  EXPECT_EQ(nan.non_finite_expected, 1);
  EXPECT_THAT(nan.worst->index, ElementsAre(0));
  const Comparison infinite = Compared(Row({1, 2}), Row({-kInf, 2}), kClose);
  EXPECT_TRUE(infinite.passed);
  EXPECT_EQ(infinite.non_finite_expected, 1);
  EXPECT_EQ(infinite.max_abs, kInf);
}

TEST(CompareAllClose, AnEmptyTensorMatches) {
  const Comparison result = Compared(Floats({0, 8}, {}), Floats({0, 8}, {}), kClose);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.score, 1.0);
  EXPECT_FALSE(result.worst);
}

TEST(CompareAllClose, RefusesAnotherShape) {
  const Comparison result =
      Compared(Floats({2, 3}, {1, 2, 3, 4, 5, 6}), Floats({3, 2}, {1, 2, 3, 4, 5, 6}), kClose);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.detail, "the shape is [2, 3], expected is [3, 2]");
}

TEST(CompareAllClose, ComparesIntegersByValue) {
  const ComparePolicy exact{.metric = Metric::kAllClose};
  EXPECT_TRUE(Compared(Ids({3}, {1, -5, 7}), Ids({3}, {1, -5, 7}), exact).passed);
  const Comparison result = Compared(Ids({3}, {1, -5, 7}), Ids({3}, {1, -5, 8}), exact);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.max_ulp, 0);
}

TEST(CompareRelativeError, IsGuardedAgainstZero) {
  EXPECT_FLOAT_EQ(static_cast<float>(Compared(Row({1}), Row({0}), kClose).max_rel), 1e12F);
  EXPECT_FLOAT_EQ(static_cast<float>(Compared(Row({6}), Row({-4}), kClose).max_rel), 2.5F);
}

TEST(CompareUlp, CountsStepsOfTheOutputsFormat) {
  const auto ulp = [](float actual, float expected, DType dtype) {
    return Compared(Row({actual}, dtype), Row({expected}), kClose).max_ulp;
  };
  EXPECT_EQ(ulp(1.0F, std::nextafter(1.0F, 2.0F), DType::kFloat32), 1);
  EXPECT_EQ(ulp(0.0F, -0.0F, DType::kFloat32), 0);
  EXPECT_EQ(ulp(std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::denorm_min(),
                DType::kFloat32),
            2);
  EXPECT_EQ(
      ulp(std::numeric_limits<float>::max(), -std::numeric_limits<float>::max(), DType::kFloat32),
      2LL * 0x7F7F'FFFF);
  EXPECT_EQ(ulp(1.0F, 1.0F + 0x1p-7F, DType::kBFloat16), 1);
  EXPECT_EQ(ulp(1.0F, 1.0F + 0x1p-9F, DType::kBFloat16), 0) << "the reference is rounded first";
  EXPECT_EQ(ulp(-1.0F, 1.0F, DType::kFloat16), 2 * 0x3C00);
  EXPECT_EQ(ulp(448.0F, 416.0F, DType::kFloat8E4M3), 1);
  EXPECT_EQ(ulp(1.0F, 1.0F + 0x1p-22F, DType::kFloat64), 2) << "float64 is compared as float32";
}

TEST(CompareMatchedRatio, PassesAtTheShareThatIsNeeded) {
  EXPECT_TRUE(Compared(Row({1, 1, 1, 9}), Row({1, 1, 1, 1}), kRatio).passed);
  const Comparison result = Compared(Row({1, 1, 8, 9}), Row({1, 1, 1, 1}), kRatio);
  EXPECT_FALSE(result.passed);
  EXPECT_DOUBLE_EQ(result.score, 0.5);
  EXPECT_EQ(result.threshold, 0.75);
  EXPECT_THAT(result.detail, HasSubstr("0.500000 are within, 0.75 is needed"));
}

TEST(CompareMatchedRatio, FailsOnANanHoweverManyMatch) {
  std::vector<float> values(100, 1.0F);
  values[57] = kNan;
  const Comparison result = Compared(Row(values), Row(std::vector<float>(100, 1.0F)), kRatio);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.worst->index, ElementsAre(57));
}

TEST(CompareCosine, SeesTheAngleAndReportsTheNorms) {
  const Comparison scaled = Compared(Row({10, 20, 30}), Row({1, 2, 3}), kCosine);
  EXPECT_TRUE(scaled.passed);
  EXPECT_NEAR(scaled.score, 1.0, 1e-12);
  EXPECT_NEAR(scaled.rel_norm, 9.0, 1e-6);
  const Comparison wrong = Compared(Row({1, 0, 0}), Row({0.5F, 0.8F, 0.1F}), kCosine);
  EXPECT_FALSE(wrong.passed);
  EXPECT_NEAR(wrong.score, 0.5270462636805808, 1e-7);
  EXPECT_NEAR(wrong.rel_norm, 0.05409252736110466, 1e-6);
  EXPECT_THAT(wrong.detail, HasSubstr("the cosine is 0.527046, 0.985 is needed"));
}

TEST(CompareCosine, GuardsTheNormWhenAsked) {
  ComparePolicy guarded = kCosine;
  guarded.max_rel_norm_error = 0.1;
  const Comparison result = Compared(Row({10, 20, 30}), Row({1, 2, 3}), guarded);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.detail, HasSubstr("off by 9, 0.1 is allowed"));
  EXPECT_TRUE(Compared(Row({1.05F, 2.1F}), Row({1, 2}), guarded).passed);
}

TEST(CompareCosine, FailsWhereItIsUndefined) {
  const Comparison result = Compared(Row({0, 0}), Row({1, 2}), kCosine);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(result.detail, HasSubstr("the cosine is undefined"));
  EXPECT_FALSE(Compared(Row({1, 2}), Row({kInf, 2}), kCosine).passed);
}

TEST(CompareCosine, NamesTheWorstRow) {
  std::vector<float> expected(100 * 8, 1.0F);
  std::vector<float> actual = expected;
  for (std::size_t i = 0; i < 8; ++i) actual[37 * 8 + i] = i < 4 ? 1.0F : -1.0F;
  const Comparison result = Compared(Floats({100, 8}, actual), Floats({100, 8}, expected), kCosine);
  EXPECT_TRUE(result.passed) << "the published rule looks at the whole";
  ASSERT_TRUE(result.worst_row);
  EXPECT_EQ(result.worst_row->row, 37);
  EXPECT_EQ(result.worst_row->score, 0.0);
}

TEST(CompareScores, LooksAtTheOrderOnly) {
  const Comparison result = Compared(Floats({2, 4}, {10, 5, 1, -kInf, 4, 3, 2, 1}),
                                     Floats({2, 4}, {3, 2, 0.5F, -kInf, 8, 6, 4, 2}), kScores);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.score, 1.0);
}

TEST(CompareScores, NamesTheIdThatIsMissing) {
  const Comparison result = Compared(Floats({2, 4}, {4, 3, 2, 1, 1, 5, 10, 0}),
                                     Floats({2, 4}, {8, 6, 4, 2, 3, 2, 0.5F, 0}), kScores);
  EXPECT_FALSE(result.passed);
  EXPECT_DOUBLE_EQ(result.score, 0.75);
  EXPECT_EQ(result.outside, 1);
  EXPECT_EQ(result.worst_row->row, 1);
  EXPECT_EQ(result.worst_row->score, 0.5);
  EXPECT_THAT(result.worst->index, ElementsAre(1, 0));
  EXPECT_THAT(result.detail, HasSubstr("the overlap is 0.750000, 0.875 is needed; row 1"));
}

TEST(CompareScores, RejectsNanAndPlusInfinity) {
  for (const float bad : {kNan, kInf}) {
    const Comparison result =
        Compared(Floats({1, 4}, {3, 2, bad, 0}), Floats({1, 4}, {3, 2, 0.5F, 0}), kScores);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.score, 0);
    EXPECT_EQ(result.non_finite, 1);
    EXPECT_THAT(result.detail, HasSubstr("the first at [0, 2]"));
  }
}

TEST(CompareScores, MaskedRowsChooseTheSameFillers) {
  const Tensor actual = Floats({1, 4}, {-kInf, -kInf, 7, -kInf});
  const Tensor expected = Floats({1, 4}, {-kInf, -kInf, 1, -kInf});
  EXPECT_EQ(Compared(actual, expected, kScores).score, 1.0);
}

TEST(CompareScores, TakesTheWholeRowWhenItIsShorterThanK) {
  ComparePolicy policy = kScores;
  policy.top_k = 9;
  EXPECT_EQ(Compared(Row({1, 2}), Row({2, 1}), policy).score, 1.0);
}

TEST(CompareIndices, IsTheMeanShareOfExpectedIds) {
  const Comparison result = Compared(Ids({2, 4}, {0, 1, 9, 3, 0, 1, 2, 3}),
                                     Ids({2, 4}, {0, 1, 2, 3, 0, 1, 2, 3}), kIndices);
  EXPECT_FALSE(result.passed);
  EXPECT_DOUBLE_EQ(result.score, 0.875);
  EXPECT_FALSE(result.padding_violation);
  EXPECT_THAT(result.worst->index, ElementsAre(0, 2));
  EXPECT_EQ(result.worst->expected, 2);
  EXPECT_EQ(result.worst->actual, 9);
}

TEST(CompareIndices, IgnoresOrderAndIdWidth) {
  EXPECT_TRUE(
      Compared(Ids({4}, {3, 1, 2, 0}, DType::kInt64), Ids({4}, {0, 1, 2, 3}), kIndices).passed);
}

TEST(CompareIndices, DuplicatesDoNotCountTwice) {
  EXPECT_DOUBLE_EQ(Compared(Ids({1, 4}, {0, 0, 0, 3}), Ids({1, 4}, {0, 1, 2, 3}), kIndices).score,
                   0.5);
}

TEST(CompareIndices, TheMeanHidesARowButWorstRowShowsIt) {
  std::vector<std::int64_t> expected;
  for (int row = 0; row < 12; ++row) expected.insert(expected.end(), {0, 1, 2, 3});
  std::vector<std::int64_t> actual = expected;
  std::fill_n(actual.begin() + 20, 4, 999);
  const Comparison result = Compared(Ids({12, 4}, actual), Ids({12, 4}, expected), kIndices);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.worst_row->row, 5);
  EXPECT_EQ(result.worst_row->score, 0);
}

TEST(CompareIndices, PaddingMustBeMinusOne) {
  const Tensor expected = Ids({2, 3}, {4, -1, -1, 7, 8, -1});
  EXPECT_TRUE(Compared(Ids({2, 3}, {4, -1, -1, 8, 7, -1}), expected, kIndices).passed);
  const Comparison result = Compared(Ids({2, 3}, {4, -1, -1, 7, 8, 0}), expected, kIndices);
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.padding_violation);
  EXPECT_EQ(result.score, 0);
  EXPECT_THAT(result.detail, HasSubstr("the first at [1, 2]: got 0"));
}

TEST(CompareIndices, RowsWithoutIdsDoNotCountAndNoRowAtAllFails) {
  EXPECT_TRUE(Compared(Ids({2, 2}, {-1, -1, 3, 4}), Ids({2, 2}, {-1, -1, 4, 3}), kIndices).passed);
  const Comparison result = Compared(Ids({1, 2}, {-1, -1}), Ids({1, 2}, {-1, -1}), kIndices);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.detail, "no row holds a valid id");
  EXPECT_FALSE(Compared(Ids({0, 2}, {}), Ids({0, 2}, {}), kIndices).passed);
}

TEST(ComparePolicies, ThatMakeNoSenseAreRefused) {
  const Tensor floats = Row({1});
  const Tensor ids = Ids({1}, {1});
  const auto refused = [](const Tensor& tensor, ComparePolicy policy) {
    const auto result = Compare(tensor.view(), tensor.view(), policy);
    return !result && result.error().code == Code("compare.policy") &&
           result.error().where == Place{};
  };
  EXPECT_TRUE(refused(floats, kIndices));
  EXPECT_TRUE(refused(ids, kScores));
  EXPECT_TRUE(refused(floats, {.metric = Metric::kAllClose, .atol = -1}));
  EXPECT_TRUE(refused(floats, {.metric = Metric::kAllClose, .rtol = std::nan("")}));
  EXPECT_TRUE(refused(floats, {.metric = Metric::kMatchedRatio, .min_ratio = 1.5}));
  EXPECT_TRUE(refused(floats, {.metric = Metric::kCosine, .min_cosine = 2}));
  EXPECT_TRUE(refused(floats, {.metric = Metric::kTopKOverlapScores, .top_k = 0}));
  EXPECT_TRUE(refused(ids, {.metric = Metric::kTopKOverlapIndices, .min_overlap = -0.5}));
  EXPECT_TRUE(refused({{1}, DType::kFloat4E2M1x2, std::vector<std::byte>(1)}, kClose));
}

// ------------------------------------------------- against a slow comparison, for any layout

struct Strided {
  Layout layout;
  std::vector<std::byte> storage;
};

Strided Spread(const std::vector<float>& values, const Layout& layout, DType dtype) {
  Strided result{layout,
                 std::vector<std::byte>(static_cast<std::size_t>(SpanElements(layout).value()) *
                                        ItemSize(dtype))};
  WriteFloats({result.storage.data(), dtype, layout}, 0, values);
  return result;
}

class CompareLayouts : public testing::TestWithParam<std::tuple<DType, int>> {
 protected:
  static constexpr std::int64_t kRows = 307;
  static constexpr std::int64_t kColumns = 257;
  static constexpr std::size_t kCount = kRows * kColumns;

  static Layout LayoutOf(int kind) {
    if (kind == 0) return DenseLayout({kRows, kColumns}).value();
    if (kind == 1) return PaddedLayout({kRows, kColumns}, 7).value();
    return {.shape = {kRows, kColumns}, .strides = {1, kRows}};
  }

  CompareLayouts() : expected_(kCount), actual_(kCount) {
    FillNormal(Philox(5), 0, expected_);
    std::vector<float> noise(kCount);
    FillNormal(Philox(6), 0, noise);
    const DType dtype = std::get<0>(GetParam());
    for (std::size_t i = 0; i < kCount; ++i) actual_[i] = expected_[i] + noise[i] * 0.02F;
    std::vector<std::byte> rounded(kCount * ItemSize(dtype));
    NarrowFromFloat(dtype, actual_, rounded.data());
    WidenToFloat(dtype, rounded.data(), actual_);
  }

  Comparison Run(const ComparePolicy& policy, int threads) const {
    const auto [dtype, kind] = GetParam();
    const Strided a = Spread(actual_, LayoutOf(kind), dtype);
    const Strided e = Spread(expected_, LayoutOf(2 - kind), DType::kFloat32);
    return Compare(ConstTensorView{a.storage.data(), dtype, a.layout},
                   ConstTensorView{e.storage.data(), DType::kFloat32, e.layout}, policy, threads)
        .value();
  }

  std::vector<float> expected_;
  std::vector<float> actual_;
};

TEST_P(CompareLayouts, AgreesWithASlowComparison) {
  const Comparison result = Run(kClose, 2);
  std::int64_t outside = 0;
  double max_abs = 0;
  double max_badness = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double error = std::fabs(actual_[i] - expected_[i]);
    const double badness = error / (0.02F + 0.02F * std::fabs(expected_[i]));
    outside += badness > 1 ? 1 : 0;
    max_abs = std::max(max_abs, error);
    if (badness > max_badness) {
      max_badness = badness;
      worst = i;
    }
  }
  EXPECT_GT(outside, 100);
  EXPECT_EQ(result.outside, outside);
  EXPECT_EQ(result.max_abs, max_abs);
  EXPECT_EQ(result.worst->actual, actual_[worst]);
  EXPECT_THAT(result.worst->index, ElementsAre(static_cast<std::int64_t>(worst) / kColumns,
                                               static_cast<std::int64_t>(worst) % kColumns));
}

TEST_P(CompareLayouts, TheThreadCountDoesNotShow) {
  for (const ComparePolicy& policy : {kCosine, kScores}) {
    const Comparison one = Run(policy, 1);
    for (const int threads : {2, 5}) {
      const Comparison many = Run(policy, threads);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(one.score), std::bit_cast<std::uint64_t>(many.score));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(one.rel_norm),
                std::bit_cast<std::uint64_t>(many.rel_norm));
      EXPECT_EQ(one.worst->index, many.worst->index);
      EXPECT_EQ(one.outside, many.outside);
      EXPECT_EQ(one.max_ulp, many.max_ulp);
    }
  }
}

TEST_P(CompareLayouts, CosineAgreesWithASlowSum) {
  const Comparison result = Run(kCosine, 2);
  double dot = 0;
  double squares = 0;
  double expected = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    dot += static_cast<double>(actual_[i]) * expected_[i];
    squares += static_cast<double>(actual_[i]) * actual_[i];
    expected += static_cast<double>(expected_[i]) * expected_[i];
  }
  EXPECT_NEAR(result.score, dot / std::sqrt(squares * expected), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(TypesAndLayouts, CompareLayouts,
                         testing::Combine(testing::Values(DType::kFloat32, DType::kBFloat16,
                                                          DType::kFloat16, DType::kFloat8E4M3),
                                          testing::Values(0, 1, 2)));

}  // namespace
}  // namespace cacheon::tensor
