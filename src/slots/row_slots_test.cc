// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The two row-wise operators against naive second references in long double.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "cacheon/slots/grading.h"
#include "src/slots/call_storage.h"
#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr DType kCallDTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kFloat16};

std::vector<float> AllFloats(const ConstTensorView& view) {
  const std::int64_t count = tensor::ElementCount(view.layout.shape).value();
  std::vector<float> values(static_cast<std::size_t>(count));
  tensor::ReadFloats(view, 0, values);
  return values;
}

std::vector<float> NaiveSilu(const JudgedCall& call) {
  const ConstTensorView& x = call.storage.inputs()[0];
  const std::vector<float> values = AllFloats(x);
  const auto d = static_cast<std::size_t>(x.layout.shape[1] / 2);
  std::vector<float> out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(x.layout.shape[0]); ++row) {
    for (std::size_t i = 0; i < d; ++i) {
      const long double gate = values[row * 2 * d + i];
      const long double up = values[row * 2 * d + d + i];
      out.push_back(static_cast<float>(gate / (1 + std::exp(-gate)) * up));
    }
  }
  return out;
}

std::vector<float> NaiveRmsNorm(const JudgedCall& call) {
  const ConstTensorView& x = call.storage.inputs()[0];
  const std::vector<float> values = AllFloats(x);
  const std::vector<float> weight = AllFloats(call.storage.inputs()[1]);
  const double eps = std::get<double>(std::get<PlannedScalar>(call.plan.arguments[3]).value);
  const std::size_t hidden = weight.size();
  std::vector<float> out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(x.layout.shape[0]); ++row) {
    long double sum = 0;
    for (std::size_t i = 0; i < hidden; ++i) {
      const long double value = values[row * hidden + i];
      sum += value * value;
    }
    const long double root = std::sqrt(sum / static_cast<long double>(hidden) + eps);
    for (std::size_t i = 0; i < hidden; ++i) {
      out.push_back(static_cast<float>(values[row * hidden + i] / root * weight[i]));
    }
  }
  return out;
}

struct RowSlot {
  const char* id;
  std::vector<float> (*naive)(const JudgedCall& call);
};

class RowSlots : public ::testing::TestWithParam<RowSlot> {
 protected:
  const Slot& slot() const { return *FindSlot(GetParam().id); }
};

TEST_P(RowSlots, ReferenceAgreesWithTheNaiveOne) {
  for (const DType dtype : kCallDTypes) {
    for (const Case& the_case : slot().OurCases()) {
      const Result<JudgedCall> call = MakeJudgedCall(slot(), the_case, dtype, 42);
      ASSERT_TRUE(call.has_value()) << call.error().message;
      const std::vector<float> expected = GetParam().naive(*call);
      const std::vector<float> got = AllFloats(call->storage.const_expected()[0]);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        // One unit in the last place: both are rounded from nearly exact numbers.
        ASSERT_NEAR(got[i], expected[i], std::fabs(expected[i]) * 1.2e-7 + 1e-45)
            << the_case.value_profile << ' ' << i;
      }
    }
  }
}

TEST_P(RowSlots, RoundedReferencePassesInEveryCase) {
  for (const DType dtype : kCallDTypes) {
    for (const Case& the_case : slot().OurCases()) {
      const Result<JudgedCall> call = MakeJudgedCall(slot(), the_case, dtype, 43);
      ASSERT_TRUE(call.has_value()) << call.error().message;
      const std::vector<float> expected = AllFloats(call->storage.const_expected()[0]);
      tensor::NarrowFromFloat(dtype, expected, call->storage.outputs()[0].data);
      const auto grades =
          Grade(slot(), call->plan, call->storage.const_outputs(), call->storage.const_expected());
      ASSERT_TRUE(grades.has_value()) << grades.error().message;
      EXPECT_TRUE((*grades)[0].passed) << the_case.value_profile << (*grades)[0].failure->message;
    }
  }
}

TEST_P(RowSlots, PoisonAndZerosFailEveryCaseWithElements) {
  for (const DType dtype : kCallDTypes) {
    for (const Case& the_case : slot().OurCases()) {
      Result<JudgedCall> call = MakeJudgedCall(slot(), the_case, dtype, 44);
      ASSERT_TRUE(call.has_value());
      const tensor::TensorView& out = call->storage.outputs()[0];
      const auto bytes = static_cast<std::size_t>(tensor::SpanElements(out.layout).value()) *
                         tensor::ItemSize(dtype);
      if (bytes == 0) continue;
      for (const bool zeros : {false, true}) {
        if (zeros) std::memset(out.data, 0, bytes);
        const auto grades = Grade(slot(), call->plan, call->storage.const_outputs(),
                                  call->storage.const_expected());
        ASSERT_TRUE(grades.has_value());
        EXPECT_FALSE((*grades)[0].passed) << the_case.value_profile << " zeros: " << zeros;
      }
    }
  }
}

TEST_P(RowSlots, ReferenceDoesNotDependOnTheNumberOfThreads) {
  const Case the_case = slot().PublishedCases()[2];
  const Result<JudgedCall> many = MakeJudgedCall(slot(), the_case, DType::kFloat32, 45);
  ASSERT_TRUE(many.has_value());
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Result<JudgedCall> single = MakeJudgedCall(slot(), the_case, DType::kFloat32, 45);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  ASSERT_TRUE(single.has_value());
  const std::vector<float> a = AllFloats(many->storage.const_expected()[0]);
  const std::vector<float> b = AllFloats(single->storage.const_expected()[0]);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

TEST_P(RowSlots, SeedsChangeTheValues) {
  const Case the_case = slot().PublishedCases()[0];
  const Result<JudgedCall> a = MakeJudgedCall(slot(), the_case, DType::kFloat32, 1);
  const Result<JudgedCall> b = MakeJudgedCall(slot(), the_case, DType::kFloat32, 2);
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_NE(AllFloats(a->storage.inputs()[0]), AllFloats(b->storage.inputs()[0]));
}

INSTANTIATE_TEST_SUITE_P(
    Slots, RowSlots,
    ::testing::Values(RowSlot{"activation.silu_and_mul", NaiveSilu},
                      RowSlot{"norm.rmsnorm", NaiveRmsNorm}),
    [](const auto& instance) {
      return std::string(instance.param.id).substr(instance.param.id[0] == 'a' ? 11 : 5);
    });

TEST(SiluAndMul, PaddedCaseHasGapsAndOffset) {
  const Result<CallPlan> plan =
      FindSlot("activation.silu_and_mul")
          ->Plan(OurCase({{"num_tokens", 2}, {"d", 8}}, "padded"), DType::kBFloat16, 0);
  ASSERT_TRUE(plan.has_value());
  const auto& x = std::get<PlannedTensor>(plan->arguments[0]);
  EXPECT_EQ(x.layout.shape, (std::vector<std::int64_t>{2, 16}));
  EXPECT_EQ(x.layout.strides, (std::vector<std::int64_t>{24, 1}));
  EXPECT_EQ(x.offset_elements, 8);
  const auto& out = std::get<PlannedTensor>(plan->arguments[1]);
  EXPECT_TRUE(tensor::IsDense(out.layout));
  EXPECT_EQ(plan->descriptor.at("last_dim"), Json(16));
  EXPECT_EQ(plan->descriptor.at("dtype"), Json("bfloat16"));
}

TEST(RmsNorm, OutputComesBeforeEps) {
  const Slot& slot = *FindSlot("norm.rmsnorm");
  const Result<CallPlan> plan = slot.Plan(slot.PublishedCases()[0], DType::kFloat32, 0);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(std::get<PlannedTensor>(plan->arguments[2]).role, Role::kOutput);
  EXPECT_EQ(std::get<double>(std::get<PlannedScalar>(plan->arguments[3]).value), 1e-6);
  EXPECT_THAT(slot.contract().unavailable_in, ::testing::ElementsAre("MiniMax-M3"));
}

TEST(RmsNorm, RefusesEpsThatIsNotPositive) {
  const Result<CallPlan> plan =
      FindSlot("norm.rmsnorm")
          ->Plan(OurCase({{"num_tokens", 2}, {"hidden", 8}, {"eps", 0}}), DType::kFloat32, 0);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code.text(), "slot.parameter");
  EXPECT_EQ(plan.error().where.key_path, "parameters.eps");
}

}  // namespace
}  // namespace cacheon::slots
