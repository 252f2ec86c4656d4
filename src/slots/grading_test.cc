// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/grading.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/slots/acceptance.h"
#include "src/slots/call_storage.h"
#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kWidth = 64;

// A right answer for one call, which each test then spoils.
class Grading : public ::testing::Test {
 protected:
  explicit Grading(DType dtype = DType::kFloat32)
      : slot_(*FindSlot("activation.silu_and_mul")),
        call_(MakeJudgedCall(slot_, OurCase({{"num_tokens", kRows}, {"d", kWidth}}), dtype, 3)
                  .value()) {
    std::copy_n(tensor::Elements<float>(call_.storage.expected()[0]), kRows * kWidth, out());
  }

  float* out() { return tensor::Elements<float>(call_.storage.outputs()[0]); }
  float* expected() { return tensor::Elements<float>(call_.storage.expected()[0]); }

  Result<std::vector<OutputGrade>> TryGrade() {
    return Grade(slot_, call_.plan, call_.storage.const_outputs(), call_.storage.const_expected());
  }

  void ExpectFailure(std::string_view code, std::string_view place) {
    const auto grades = TryGrade();
    ASSERT_TRUE(grades.has_value());
    const OutputGrade& grade = (*grades)[0];
    EXPECT_FALSE(grade.passed);
    ASSERT_TRUE(grade.failure.has_value());
    EXPECT_EQ(grade.failure->code.text(), code);
    EXPECT_EQ(grade.failure->where.key_path, place);
  }

  // The structured acceptance alone, with a rule that tolerates some wrong elements.
  Acceptance AcceptLoosely() {
    const AcceptanceRule rule = {.steps_32_bit = 64,
                                 .group_weight = 1,
                                 .min_group_share = 0.9,
                                 .max_slacks = 16,
                                 .max_group_l2 = 1e6};
    return Accept(rule, SlackScaleOf(rule, DType::kFloat32), call_.storage.const_outputs()[0],
                  call_.storage.const_expected()[0])
        .value();
  }

  const Slot& slot_;
  JudgedCall call_;
};

TEST_F(Grading, PassesTheReferenceItself) {
  const auto grades = TryGrade();
  ASSERT_TRUE(grades.has_value());
  EXPECT_TRUE((*grades)[0].passed);
  EXPECT_EQ((*grades)[0].name, "out");
  EXPECT_EQ((*grades)[0].structured.worst_margin, 0);
  EXPECT_EQ((*grades)[0].structured.group_count, kRows);
}

TEST_F(Grading, NamesTheElementThatIsBeyondTheTolerance) {
  out()[3 * kWidth + 5] += 0.5F;
  ExpectFailure("cmp.ratio", "out[3, 5]");
}

TEST_F(Grading, NamesNonFiniteElementsFirst) {
  out()[0] += 0.5F;
  out()[2 * kWidth + 1] = std::numeric_limits<float>::quiet_NaN();
  ExpectFailure("cmp.nonfinite", "out[2, 1]");
}

TEST_F(Grading, RefusesSmallErrorsThatTheConstantToleranceHides) {
  expected()[kWidth + 7] = 1e-4F;
  out()[kWidth + 7] = 1.05e-4F;  // within 1e-5 of the expected value, and 5 % off
  ExpectFailure("cmp.outlier", "out[1, 7]");
}

TEST_F(Grading, CountsElementsBeyondTheCap) {
  out()[9] += 1;
  const Acceptance acceptance = AcceptLoosely();
  EXPECT_FALSE(acceptance.passed);
  EXPECT_EQ(acceptance.outliers, 1);
  EXPECT_EQ(acceptance.failed_groups, 0);
  EXPECT_EQ(acceptance.worst->index, (std::vector<std::int64_t>{0, 9}));
}

TEST_F(Grading, RefusesOneWrongRowAmongRightOnes) {
  const double slack = 64 * tensor::Epsilon(DType::kFloat32);
  for (std::int64_t i = 0; i < kWidth / 4; ++i) {
    out()[4 * kWidth + i] += static_cast<float>(slack * 4);
  }
  const Acceptance acceptance = AcceptLoosely();
  EXPECT_FALSE(acceptance.passed);
  EXPECT_EQ(acceptance.outliers, 0);
  EXPECT_EQ(acceptance.failed_groups, 1);
  EXPECT_DOUBLE_EQ(acceptance.worst_group_share, 0.75);
}

TEST_F(Grading, RefusesACaseWhoseReferenceIsNotFinite) {
  expected()[2 * kWidth] = std::numeric_limits<float>::infinity();
  const auto grades = TryGrade();
  ASSERT_FALSE(grades.has_value());
  EXPECT_EQ(grades.error().code.text(), "slot.expected_not_finite");
  EXPECT_EQ(grades.error().where.key_path, "out");
}

}  // namespace
}  // namespace cacheon::slots
