// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/nvfp4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "cacheon/core/philox.h"
#include "cacheon/tensor/dtype.h"

namespace cacheon::tensor {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct Quantized {
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> scales;
};

Quantized Quantize(const std::vector<float>& values, std::int64_t columns) {
  Quantized result{std::vector<std::uint8_t>(values.size() / 2),
                   std::vector<std::uint8_t>(values.size() / 16)};
  EXPECT_TRUE(QuantizeNvfp4(values, columns, result.packed, result.scales));
  return result;
}

std::vector<float> Dequantize(const Quantized& matrix, std::int64_t columns, float outer = 1) {
  std::vector<float> values(matrix.packed.size() * 2);
  EXPECT_TRUE(DequantizeNvfp4(matrix.packed, matrix.scales, columns, outer, values));
  return values;
}

TEST(Nvfp4, PutsTheEvenElementIntoTheLowNibble) {
  std::vector<float> values(16, 0.0F);
  values[0] = 6;
  values[1] = -1;
  values[15] = 0.5F;
  const Quantized result = Quantize(values, 16);
  EXPECT_THAT(result.packed, ElementsAre(0xA7, 0, 0, 0, 0, 0, 0, 0x10));
  EXPECT_THAT(result.scales, ElementsAre(0x38));
  EXPECT_EQ(Dequantize(result, 16), values);
}

TEST(Nvfp4, AZeroBlockHasScaleZero) {
  const Quantized result = Quantize(std::vector<float>(32, 0.0F), 32);
  EXPECT_THAT(result.packed, Each(0));
  EXPECT_THAT(result.scales, ElementsAre(0, 0));
}

TEST(Nvfp4, RoundsTiesToTheLowerMagnitude) {
  const std::vector<float> values = {6,  0.25F,  0.75F,  1.25F,  1.75F,  2.5F,  3.5F,  5,
                                     -6, -0.25F, -0.75F, -1.25F, -1.75F, -2.5F, -3.5F, -5};
  EXPECT_THAT(Dequantize(Quantize(values, 16), 16),
              ElementsAre(6, 0, 0.5F, 1, 1.5F, 2, 3, 4, -6, 0, -0.5F, -1, -1.5F, -2, -3, -4));
}

TEST(Nvfp4, AgreesWithOneNumberAtATime) {
  constexpr std::int64_t kColumns = 48;
  std::vector<float> values(kColumns * 37);
  FillNormal(Philox(3), 0, values);
  const Quantized result = Quantize(values, kColumns);
  const std::vector<float> back = Dequantize(result, kColumns, 0.37F);
  for (std::size_t block = 0; block < values.size() / 16; ++block) {
    float largest = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      largest = std::max(largest, std::fabs(values[block * 16 + i]));
    }
    const float scale = std::max(largest, 1e-12F) / 6.0F;
    ASSERT_EQ(result.scales[block], ToFloat8E4M3(scale));
    for (std::size_t i = block * 16; i < block * 16 + 16; ++i) {
      const std::uint8_t code = result.packed[i / 2] >> (i % 2 * 4) & 15;
      ASSERT_EQ(code, ToFloat4E2M1(values[i] / scale)) << i;
      ASSERT_EQ(back[i], FromFloat4E2M1(code) * FromFloat8E4M3(result.scales[block]) * 0.37F) << i;
    }
  }
}

TEST(Nvfp4, RefusesRowsThatAreNoWholeBlocks) {
  std::vector<float> values(24);
  std::vector<std::uint8_t> packed(12);
  std::vector<std::uint8_t> scales(1);
  const Status quantized = QuantizeNvfp4(values, 24, packed, scales);
  ASSERT_FALSE(quantized);
  EXPECT_EQ(quantized.error().code, Code("tensor.nvfp4_block"));
  EXPECT_EQ(quantized.error().where, Place{});
  EXPECT_FALSE(DequantizeNvfp4(packed, scales, 0, 1, values));
}

TEST(Nvfp4DeathTest, ChecksThatTheSpansFitTogether) {
  std::vector<float> values(16);
  std::vector<std::uint8_t> packed(7);
  std::vector<std::uint8_t> scales(1);
  EXPECT_EXIT((void)QuantizeNvfp4(values, 16, packed, scales), testing::ExitedWithCode(4),
              "of the same rows");
}

TEST(SwizzledScales, PadToTiles) {
  EXPECT_EQ(SwizzledScaleShape(3, 3).value(), (SwizzledShape{128, 4}));
  EXPECT_EQ(SwizzledScaleShape(129, 4).value(), (SwizzledShape{256, 4}));
  EXPECT_EQ(SwizzledScaleShape(0, 5).value(), (SwizzledShape{0, 8}));
}

TEST(SwizzledScales, RefuseShapesThatDoNotFit) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(SwizzledScaleShape(-1, 4).error().code, Code("tensor.negative_dim"));
  EXPECT_EQ(SwizzledScaleShape(-1, 4).error().where.key_path, "shape[0]");
  EXPECT_EQ(SwizzledScaleShape(kHuge, 1).error().code, Code("tensor.overflow"));
  EXPECT_EQ(SwizzledScaleShape(1, kHuge / 64).error().code, Code("tensor.overflow"));
}

TEST(SwizzledScales, EveryPlaceOfATileIsUsedOnce) {
  const SwizzledShape shape = SwizzledScaleShape(256, 8).value();
  std::set<std::int64_t> places;
  for (std::int64_t row = 0; row < 256; ++row) {
    for (std::int64_t column = 0; column < 8; ++column) {
      places.insert(SwizzledScaleOffset(row, column, shape));
    }
  }
  EXPECT_EQ(std::ssize(places), shape.count());
  EXPECT_EQ(*places.rbegin(), shape.count() - 1);
  EXPECT_EQ(SwizzledScaleOffset(33, 1, shape), 21);
  EXPECT_EQ(SwizzledScaleOffset(128, 0, shape), 1024);
  EXPECT_EQ(SwizzledScaleOffset(0, 4, shape), 512);
}

TEST(SwizzledScales, ComeBackAndLeaveZerosInThePadding) {
  std::vector<std::uint8_t> linear(130 * 5);
  std::iota(linear.begin(), linear.end(), std::uint8_t{1});
  std::ranges::replace(linear, std::uint8_t{0}, std::uint8_t{7});
  std::vector<std::uint8_t> swizzled(256 * 8, 0xEE);
  SwizzleScales(linear, 130, 5, swizzled);
  EXPECT_EQ(std::ranges::count(swizzled, 0), 256 * 8 - 130 * 5);
  std::vector<std::uint8_t> back(linear.size());
  UnswizzleScales(swizzled, 130, 5, back);
  EXPECT_EQ(back, linear);
}

TEST(InterleavedW13, HasUpRowsBeforeGateRows) {
  const std::vector<std::int64_t> sources = InterleavedRowSources(128).value();
  ASSERT_EQ(sources.size(), 256U);
  EXPECT_EQ(sources[0], 128);
  EXPECT_EQ(sources[63], 191);
  EXPECT_EQ(sources[64], 0);
  EXPECT_EQ(sources[128], 192);
  EXPECT_EQ(sources[255], 127);
  EXPECT_EQ(std::set(sources.begin(), sources.end()).size(), 256U);
}

TEST(InterleavedW13, RefusesSizesThatAreNoWholeGroups) {
  for (const std::int64_t size : {-64, 0, 32, 96}) {
    const auto sources = InterleavedRowSources(size);
    ASSERT_FALSE(sources) << size;
    EXPECT_EQ(sources.error().code, Code("tensor.nvfp4_interleave"));
    EXPECT_EQ(sources.error().where, Place{});
  }
}

}  // namespace
}  // namespace cacheon::tensor
