// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/case_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "src/verify/fingerprint.h"
#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

using tensor::DType;

class CaseMemory : public testing::Test {
 protected:
  PreparedCase Prepare(const slots::Case& one, DType dtype = DType::kFloat32) {
    return std::move(*PrepareCase(slot_, *slot_.Plan(one, dtype, 5), secrets_));
  }

  SmallSlot slot_;
  Secrets secrets_;
};

std::vector<float> ValuesOf(const tensor::ConstTensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(*tensor::ElementCount(view.shape())));
  tensor::ReadFloats(view, 0, values);
  return values;
}

TEST_F(CaseMemory, SealsInputsAndKnowsTheirFingerprint) {
  const PreparedCase prepared = Prepare(SmallCase(4, 8));
  ASSERT_EQ(prepared.inputs.size(), 1U);
  const InputMemory& input = prepared.inputs.front();
  EXPECT_TRUE(input.memory.sealed());
  EXPECT_EQ(input.memory.writable_fd(), -1);
  EXPECT_EQ(input.fingerprint, Fingerprint(input.memory.bytes(), secrets_.key()));
}

TEST_F(CaseMemory, HoldsTheSameValuesInBothLayouts) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
    const PreparedCase dense = Prepare(SmallCase(5, 8), dtype);
    const PreparedCase padded = Prepare(SmallCase(5, 8, "padded"), dtype);
    EXPECT_TRUE(tensor::IsDense(dense.inputs[0].memory.layout()));
    EXPECT_FALSE(tensor::IsDense(padded.inputs[0].memory.layout()));
    EXPECT_EQ(ValuesOf(dense.inputs[0].memory.const_view()),
              ValuesOf(padded.inputs[0].memory.const_view()));
    EXPECT_EQ(ValuesOf(dense.expected[0].view), ValuesOf(padded.expected[0].view));
  }
}

// A kernel that reads beside the elements meets NaN and shows it.
TEST_F(CaseMemory, SurroundsInputsWithNaN) {
  for (const char* layout : {"dense", "padded"}) {
    const PreparedCase prepared = Prepare(SmallCase(5, 8, layout));
    const worker::TensorMemory& memory = prepared.inputs[0].memory;
    std::vector<bool> is_element(memory.bytes().size() / 4);
    const std::size_t first = memory.element_begin_byte() / 4;
    tensor::ForEachRun(memory.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t) {
      for (std::int64_t i = offset; i < offset + count; ++i) {
        is_element[first + static_cast<std::size_t>(i)] = true;
      }
    });
    for (std::size_t i = 0; i < is_element.size(); ++i) {
      float value = 0;
      std::memcpy(&value, memory.bytes().data() + i * 4, 4);
      ASSERT_EQ(std::isnan(value), !is_element[i]) << layout << " " << i;
    }
  }
}

TEST_F(CaseMemory, ExpectsDenseFloatsFromTheReference) {
  const PreparedCase prepared = Prepare(SmallCase(3, 8, "padded"), DType::kBFloat16);
  ASSERT_EQ(prepared.expected.size(), 1U);
  const tensor::TensorView& expected = prepared.expected[0].view;
  EXPECT_EQ(expected.dtype, DType::kFloat32);
  EXPECT_EQ(expected.layout, *tensor::DenseLayout({3, 8}));
  const std::vector<float> x = ValuesOf(prepared.inputs[0].memory.const_view());
  const double gate = x[0];
  EXPECT_NEAR(ValuesOf(expected)[0], gate / (1 + std::exp(-gate)) * x[8], 1e-6);
}

TEST_F(CaseMemory, CountsTheBytesOfInputsAndOutputs) {
  EXPECT_EQ(CaseBytes(*slot_.Plan(SmallCase(4, 8), DType::kFloat32, 5)),
            (4 * 16 + 4 * 8) * sizeof(float));
  EXPECT_EQ(CaseBytes(*slot_.Plan(SmallCase(4, 8), DType::kBFloat16, 5)),
            (4 * 16 + 4 * 8) * sizeof(std::uint16_t));
  EXPECT_EQ(CaseBytes(*slot_.Plan(SmallCase(0, 8), DType::kFloat32, 5)), 0U);
}

TEST_F(CaseMemory, PreparesACaseWithoutRows) {
  const PreparedCase prepared = Prepare(SmallCase(0, 8));
  EXPECT_TRUE(prepared.inputs.at(0).memory.sealed());
  EXPECT_TRUE(ValuesOf(prepared.expected.at(0).view).empty());
}

}  // namespace
}  // namespace cacheon::verify
