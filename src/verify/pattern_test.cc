// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "cacheon/tensor/view.h"

namespace cacheon::verify {
namespace {

using tensor::DType;

constexpr std::array kFloats = {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kFloat16,
                                DType::kFloat8E4M3};
constexpr std::size_t kBytes = 8192;

std::vector<std::byte> Generated(const Pattern& pattern, std::size_t offset = 0,
                                 std::size_t size = kBytes) {
  std::vector<std::byte> bytes(size);
  pattern.Generate(offset, bytes);
  return bytes;
}

std::vector<float> AsFloats(DType dtype, const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / tensor::ItemSize(dtype));
  tensor::WidenToFloat(dtype, bytes.data(), values);
  return values;
}

TEST(Pattern, IsNaNInEveryFloatingType) {
  for (const DType dtype : kFloats) {
    for (const float value : AsFloats(dtype, Generated({PatternKind::kNan, dtype, 1, 2}))) {
      ASSERT_TRUE(std::isnan(value)) << tensor::Name(dtype);
    }
  }
}

TEST(Pattern, IsOrdinaryNumbersWhenFinite) {
  for (const DType dtype : kFloats) {
    std::set<float> seen;
    for (const float value : AsFloats(dtype, Generated({PatternKind::kFinite, dtype, 1, 2}))) {
      ASSERT_TRUE(std::isfinite(value)) << tensor::Name(dtype);
      ASSERT_LE(std::abs(value), 2) << tensor::Name(dtype);
      ASSERT_GE(std::abs(value), 0x1p-6) << tensor::Name(dtype);
      seen.insert(value);
    }
    EXPECT_GT(seen.size(), 32U) << tensor::Name(dtype);
  }
}

TEST(Pattern, IsBeyondEveryIndexInIntegers) {
  for (const PatternKind kind : {PatternKind::kNan, PatternKind::kFinite}) {
    const std::vector<std::byte> narrow = Generated({kind, DType::kInt32, 1, 2});
    for (std::size_t i = 0; i < kBytes; i += 4) {
      std::int32_t value = 0;
      std::memcpy(&value, narrow.data() + i, 4);
      ASSERT_GE(value, 1 << 30);
    }
    const std::vector<std::byte> wide = Generated({kind, DType::kInt64, 1, 2});
    for (std::size_t i = 0; i < kBytes; i += 8) {
      std::int64_t value = 0;
      std::memcpy(&value, wide.data() + i, 8);
      ASSERT_GE(value, INT64_C(1) << 62);
    }
  }
}

TEST(Pattern, DependsOnPositionAlone) {
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kUInt8}) {
    const Pattern pattern(PatternKind::kNan, dtype, 3, 4);
    const std::vector<std::byte> whole = Generated(pattern);
    for (const std::size_t offset : {16U, 48U, 4080U, 4096U, 8176U}) {
      const std::vector<std::byte> part = Generated(pattern, offset, kBytes - offset);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + offset)) << offset;
    }
  }
}

TEST(Pattern, DiffersPerStreamAndSecret) {
  const std::vector<std::byte> one = Generated({PatternKind::kNan, DType::kFloat32, 1, 1});
  EXPECT_NE(Generated({PatternKind::kNan, DType::kFloat32, 1, 2}), one);
  EXPECT_NE(Generated({PatternKind::kNan, DType::kFloat32, 2, 1}), one);
}

TEST(Pattern, FillsTheWholeFile) {
  Result<tensor::Layout> layout = tensor::DenseLayout({300'000});
  Result<worker::TensorMemory> memory = worker::TensorMemory::Create(
      "t", DType::kFloat32, std::move(*layout), 5, worker::GuardSide::kAfter);
  ASSERT_TRUE(memory);
  const Pattern pattern(PatternKind::kNan, DType::kFloat32, 1, 2);
  ASSERT_TRUE(pattern.Fill(*memory));
  const std::vector<std::byte> expected = Generated(pattern, 0, memory->bytes().size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory->bytes().begin()));
}

}  // namespace
}  // namespace cacheon::verify
