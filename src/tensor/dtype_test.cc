// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The conversions are compared with a slow reference that knows a format only as a table of numbers
// in double precision: the nearest entry wins, the even code on a tie.

#include "cacheon/tensor/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "cacheon/core/philox.h"

namespace cacheon::tensor {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Format {
  const char* name;
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  unsigned finite_codes;  // codes 0 .. finite_codes - 1 are the numbers from 0 up
  unsigned overflow;      // the code of what is beyond the last midpoint
  std::function<float(unsigned)> widen;
  std::function<unsigned(float)> narrow;

  unsigned sign_bit() const { return 1U << static_cast<unsigned>(exponent_bits + mantissa_bits); }
  double Value(unsigned code) const {
    const unsigned mantissa = code & ((1U << static_cast<unsigned>(mantissa_bits)) - 1U);
    const int exponent = static_cast<int>(code >> static_cast<unsigned>(mantissa_bits));
    if (exponent == 0) return std::ldexp(mantissa, 1 - bias - mantissa_bits);
    return std::ldexp(1.0 + std::ldexp(mantissa, -mantissa_bits), exponent - bias);
  }
};

const Format kBrain{
    .name = "bfloat16",
    .dtype = DType::kBFloat16,
    .exponent_bits = 8,
    .mantissa_bits = 7,
    .bias = 127,
    .finite_codes = 0x7F80,
    .overflow = 0x7F80,
    .widen = [](unsigned code) { return FromBFloat16(static_cast<std::uint16_t>(code)); },
    .narrow = ToBFloat16};
const Format kHalf{
    .name = "float16",
    .dtype = DType::kFloat16,
    .exponent_bits = 5,
    .mantissa_bits = 10,
    .bias = 15,
    .finite_codes = 0x7C00,
    .overflow = 0x7C00,
    .widen = [](unsigned code) { return FromFloat16(static_cast<std::uint16_t>(code)); },
    .narrow = ToFloat16};
const Format kE4M3{
    .name = "float8_e4m3fn",
    .dtype = DType::kFloat8E4M3,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .bias = 7,
    .finite_codes = 0x7F,
    .overflow = 0x7F,
    .widen = [](unsigned code) { return FromFloat8E4M3(static_cast<std::uint8_t>(code)); },
    .narrow = ToFloat8E4M3};

class Narrow : public testing::TestWithParam<const Format*> {
 protected:
  Narrow() : format_(*GetParam()) {
    for (unsigned code = 0; code <= format_.finite_codes; ++code) {
      table_.push_back(format_.Value(code));  // the last one is what an unbounded format had next
    }
  }

  unsigned Reference(float value) const {
    const unsigned sign = std::signbit(value) ? format_.sign_bit() : 0;
    const double magnitude = std::fabs(static_cast<double>(value));
    if (magnitude >= table_.back()) return sign | format_.overflow;
    const auto above = std::ranges::upper_bound(table_, magnitude);
    const auto low = static_cast<unsigned>(above - table_.begin()) - 1;
    const double down = magnitude - table_[low];
    const double up = table_[low + 1] - magnitude;
    const unsigned code = down < up || (down == up && low % 2 == 0) ? low : low + 1;
    return sign | code;
  }

  void ExpectReference(float value) const {
    ASSERT_EQ(format_.narrow(value), Reference(value)) << std::hexfloat << value;
    ASSERT_EQ(format_.narrow(-value), Reference(-value)) << std::hexfloat << -value;
  }

  const Format& format_;
  std::vector<double> table_;
};

TEST_P(Narrow, WidensEveryFiniteCodeExactly) {
  for (unsigned code = 0; code < format_.finite_codes; ++code) {
    ASSERT_EQ(format_.widen(code), format_.Value(code)) << code;
    const float negative = format_.widen(code | format_.sign_bit());
    ASSERT_EQ(negative, -format_.Value(code)) << code;
    ASSERT_TRUE(std::signbit(negative)) << code;
  }
}

TEST_P(Narrow, EveryFiniteCodeComesBack) {
  for (unsigned code = 0; code < format_.finite_codes; ++code) {
    ASSERT_EQ(format_.narrow(format_.widen(code)), code);
    ASSERT_EQ(format_.narrow(format_.widen(code | format_.sign_bit())), code | format_.sign_bit());
  }
}

TEST_P(Narrow, RoundsMidpointsToEvenAndTheirNeighboursToTheNearest) {
  for (unsigned code = 0; code < format_.finite_codes; ++code) {
    const double exact = std::midpoint(table_[code], table_[code + 1]);
    const auto middle = static_cast<float>(exact);
    ASSERT_EQ(middle, exact) << "the midpoint is a float32";
    ExpectReference(middle);
    ExpectReference(std::nextafter(middle, 0.0F));
    ExpectReference(std::nextafter(middle, kInf));
  }
}

TEST_P(Narrow, AgreesWithTheReferenceOnRandomBits) {
  std::vector<std::uint32_t> bits(1U << 20U);
  FillBits(Philox(11), 0, bits);
  for (const std::uint32_t word : bits) {
    const auto value = std::bit_cast<float>(word);
    if (!std::isnan(value)) ExpectReference(value);
  }
}

TEST_P(Narrow, AgreesWithTheReferenceInItsOwnRange) {
  std::vector<float> values(1U << 18U);
  FillNormal(Philox(12), 0, values);
  for (const float value : values) ExpectReference(value);
}

TEST_P(Narrow, RoundsSubnormalFloatsToZeroOrTheNearest) {
  for (std::uint32_t bits = 0; bits < 0x0100'0000U; bits += 0x1FFFU) {
    ExpectReference(std::bit_cast<float>(bits));
  }
  ExpectReference(std::numeric_limits<float>::denorm_min());
}

TEST_P(Narrow, OverflowsFromTheLastMidpoint) {
  const auto last =
      static_cast<float>(std::midpoint(table_[format_.finite_codes - 1], table_.back()));
  ExpectReference(std::numeric_limits<float>::max());
  ASSERT_EQ(format_.narrow(std::nextafter(last, 0.0F)), format_.finite_codes - 1);
  ASSERT_EQ(format_.narrow(std::nextafter(last, kInf)), format_.overflow);
  ASSERT_EQ(format_.narrow(kInf), format_.overflow);
  ASSERT_EQ(format_.narrow(-kInf), format_.overflow | format_.sign_bit());
}

TEST_P(Narrow, BulkIsTheSameAsOneByOne) {
  std::vector<std::uint32_t> words(4099);
  FillBits(Philox(13), 0, words);
  std::vector<float> values;
  for (const std::uint32_t word : words) values.push_back(std::bit_cast<float>(word));
  const std::size_t item = ItemSize(format_.dtype);
  std::vector<std::byte> codes(values.size() * item + 1);
  std::byte* unaligned = codes.data() + 1;
  NarrowFromFloat(format_.dtype, values, unaligned);
  std::vector<float> back(values.size());
  WidenToFloat(format_.dtype, unaligned, back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    unsigned code = std::to_integer<unsigned>(unaligned[i * item]);
    if (item == 2) code |= std::to_integer<unsigned>(unaligned[i * item + 1]) << 8U;
    ASSERT_EQ(code, format_.narrow(values[i])) << i;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]),
              std::bit_cast<std::uint32_t>(format_.widen(code)));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Narrow, testing::Values(&kBrain, &kHalf, &kE4M3),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(BFloat16, KeepsEveryInfinityAndNan) {
  for (unsigned code = 0x7F80; code < 0x8000; ++code) {
    for (const unsigned sign : {0U, 0x8000U}) {
      const auto bits = static_cast<std::uint16_t>(code | sign);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(FromBFloat16(bits)), std::uint32_t{bits} << 16U);
      const unsigned quiet = code == 0x7F80 ? 0 : 0x40;
      ASSERT_EQ(ToBFloat16(FromBFloat16(bits)), bits | quiet) << code;
    }
  }
}

TEST(Float16, KeepsEveryInfinityAndNan) {
  for (unsigned code = 0x7C00; code < 0x8000; ++code) {
    for (const unsigned sign : {0U, 0x8000U}) {
      const auto bits = static_cast<std::uint16_t>(code | sign);
      const float wide = FromFloat16(bits);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide),
                (sign << 16U) | 0x7F80'0000U | ((code & 0x3FFU) << 13U));
      const unsigned quiet = code == 0x7C00 ? 0 : 0x200;
      ASSERT_EQ(ToFloat16(wide), bits | quiet) << code;
    }
  }
}

TEST(NarrowNan, StaysNanWhateverThePayload) {
  for (std::uint32_t payload = 1; payload < 0x0080'0000U; payload += 0x3FFU) {
    const auto nan = std::bit_cast<float>(0x7F80'0000U | payload);
    ASSERT_TRUE(std::isnan(FromBFloat16(ToBFloat16(nan)))) << payload;
    ASSERT_TRUE(std::isnan(FromFloat16(ToFloat16(nan)))) << payload;
    ASSERT_EQ(ToFloat8E4M3(nan), 0x7F) << payload;
    ASSERT_EQ(ToFloat8E4M3(-nan), 0xFF) << payload;
  }
}

TEST(Float8E4M3, HasOneNanPerSignAndNoInfinity) {
  for (unsigned code = 0; code < 256; ++code) {
    const float value = FromFloat8E4M3(static_cast<std::uint8_t>(code));
    ASSERT_EQ(std::isnan(value), (code & 0x7FU) == 0x7FU) << code;
    ASSERT_FALSE(std::isinf(value)) << code;
    ASSERT_EQ(std::signbit(value), code >= 0x80) << code;
  }
}

TEST(Float8E4M3, SaturatesNowhere) {
  EXPECT_EQ(ToFloat8E4M3(448.0F), 0x7E);
  EXPECT_EQ(ToFloat8E4M3(464.0F), 0x7E);
  EXPECT_EQ(ToFloat8E4M3(std::nextafter(464.0F, kInf)), 0x7F);
  EXPECT_EQ(ToFloat8E4M3(-465.0F), 0xFF);
}

TEST(Float4E2M1, DecodesItsTable) {
  constexpr float kTable[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 16; ++code) {
    const float value = FromFloat4E2M1(static_cast<std::uint8_t>(code));
    EXPECT_EQ(std::fabs(value), kTable[code & 7U]);
    EXPECT_EQ(std::signbit(value), code >= 8);
  }
}

TEST(Float4E2M1, EveryCodeButMinusZeroComesBack) {
  for (unsigned code = 0; code < 16; ++code) {
    const float value = FromFloat4E2M1(static_cast<std::uint8_t>(code));
    EXPECT_EQ(ToFloat4E2M1(value), code == 8 ? 0 : code);
  }
}

TEST(Float4E2M1, TiesGoToTheLowerMagnitude) {
  for (unsigned code = 0; code < 7; ++code) {
    const float low = FromFloat4E2M1(static_cast<std::uint8_t>(code));
    const float high = FromFloat4E2M1(static_cast<std::uint8_t>(code + 1));
    const float middle = std::midpoint(low, high);
    EXPECT_EQ(ToFloat4E2M1(middle), code);
    EXPECT_EQ(ToFloat4E2M1(std::nextafter(middle, kInf)), code + 1);
    EXPECT_EQ(ToFloat4E2M1(-middle), code | 8U);
    EXPECT_EQ(ToFloat4E2M1(-std::nextafter(middle, kInf)), (code + 1) | 8U);
  }
}

TEST(Float4E2M1, TheSignIsThatOfNegativeNumbersOnly) {
  EXPECT_EQ(ToFloat4E2M1(-0.0F), 0);
  EXPECT_EQ(ToFloat4E2M1(-1e-30F), 8);
  EXPECT_EQ(ToFloat4E2M1(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(ToFloat4E2M1(kInf), 7);
  EXPECT_EQ(ToFloat4E2M1(-1e30F), 15);
}

TEST(DTypeNames, AreReadBack) {
  for (unsigned i = 0; i <= static_cast<unsigned>(DType::kFloat4E2M1x2); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(ParseDType(Name(dtype)), dtype);
  }
  EXPECT_EQ(Name(DType::kFloat8E4M3), "float8_e4m3fn");
  EXPECT_EQ(ParseDType("bf16"), std::nullopt);
  EXPECT_EQ(ParseDType(""), std::nullopt);
}

TEST(DTypeEpsilon, IsTheStepAboveOne) {
  EXPECT_EQ(Epsilon(DType::kFloat32), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(Epsilon(DType::kFloat64), std::numeric_limits<double>::epsilon());
  EXPECT_EQ(Epsilon(DType::kFloat16), FromFloat16(0x3C01) - 1.0F);
  EXPECT_EQ(Epsilon(DType::kBFloat16), FromBFloat16(0x3F81) - 1.0F);
  EXPECT_EQ(Epsilon(DType::kFloat8E4M3), FromFloat8E4M3(0x39) - 1.0F);
  EXPECT_EQ(Epsilon(DType::kFloat4E2M1x2), FromFloat4E2M1(3) - 1.0F);
  EXPECT_FALSE(IsFloating(DType::kInt64));
}

template <typename T>
std::vector<T> NarrowTo(DType dtype, const std::vector<float>& values) {
  std::vector<T> result(values.size());
  NarrowFromFloat(dtype, values, reinterpret_cast<std::byte*>(result.data()));
  return result;
}

TEST(BulkIntegers, TruncateAndSaturate) {
  const std::vector<float> values = {1.9F, -1.9F, 0x1p31F,       -0x1p40F,
                                     kInf, -kInf, std::nanf(""), 256};
  constexpr std::int32_t kMax32 = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kMin32 = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(NarrowTo<std::int32_t>(DType::kInt32, values),
            (std::vector<std::int32_t>{1, -1, kMax32, kMin32, kMax32, kMin32, 0, 256}));
  constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(NarrowTo<std::int64_t>(DType::kInt64, values),
            (std::vector<std::int64_t>{1, -1, 1LL << 31, -(1LL << 40), kMax64, kMin64, 0, 256}));
  EXPECT_EQ(NarrowTo<std::uint8_t>(DType::kUInt8, values),
            (std::vector<std::uint8_t>{1, 0, 255, 0, 255, 0, 0, 255}));
  EXPECT_EQ(NarrowTo<std::uint8_t>(DType::kBool, {0.0F, -0.0F, 0.25F, std::nanf("")}),
            (std::vector<std::uint8_t>{0, 0, 1, 1}));
}

template <typename T>
std::vector<float> WidenFrom(DType dtype, const std::vector<T>& values) {
  std::vector<float> result(values.size());
  WidenToFloat(dtype, reinterpret_cast<const std::byte*>(values.data()), result);
  return result;
}

TEST(BulkIntegers, WidenByValueToTheNearestFloat) {
  EXPECT_EQ(WidenFrom<std::int32_t>(DType::kInt32, {-7, 16'777'217}),
            (std::vector<float>{-7, 16'777'216}));
  EXPECT_EQ(WidenFrom<std::int64_t>(DType::kInt64, {-7, (1LL << 40) + 1}),
            (std::vector<float>{-7, 0x1p40F}));
  EXPECT_EQ(WidenFrom<std::uint8_t>(DType::kUInt8, {0, 255}), (std::vector<float>{0, 255}));
  EXPECT_EQ(WidenFrom<std::uint8_t>(DType::kBool, {0, 1, 7}), (std::vector<float>{0, 1, 1}));
}

TEST(BulkFloat64, RoundsToTheNearestFloat) {
  EXPECT_EQ(WidenFrom<double>(DType::kFloat64, {1.0 + 0x1p-25, 1e300, -0.1}),
            (std::vector<float>{1.0F, kInf, -0.1F}));
  EXPECT_EQ(NarrowTo<double>(DType::kFloat64, {0.1F, -kInf}),
            (std::vector<double>{static_cast<double>(0.1F), -INFINITY}));
}

}  // namespace
}  // namespace cacheon::tensor
