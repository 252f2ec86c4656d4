// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cacheon/slots/slot.h"
#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

const Slot& Silu() { return *FindSlot("activation.silu_and_mul"); }

void ExpectRefused(const Case& the_case, DType dtype, std::string_view code,
                   std::string_view place) {
  const Result<CallPlan> plan = Silu().Plan(the_case, dtype, 1);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code.text(), code);
  EXPECT_EQ(plan.error().where.key_path, place);
}

TEST(Parameters, RefusesMissing) {
  ExpectRefused(OurCase({{"num_tokens", 8}}), DType::kFloat32, "slot.parameter", "parameters.d");
}

TEST(Parameters, RefusesUnknown) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8}, {"hidden", 8}}), DType::kFloat32,
                "slot.parameter", "parameters.hidden");
}

TEST(Parameters, RefusesPaddingOfADenseCase) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8}, {"row_padding", 8}}), DType::kFloat32,
                "slot.parameter", "parameters.row_padding");
}

TEST(Parameters, RefusesWrongTypeAndRange) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8.5}}), DType::kFloat32, "slot.parameter",
                "parameters.d");
  ExpectRefused(OurCase({{"num_tokens", -1}, {"d", 8}}), DType::kFloat32, "slot.parameter",
                "parameters.num_tokens");
  ExpectRefused(OurCase({{"num_tokens", 1}, {"d", std::int64_t{1} << 41}}), DType::kFloat32,
                "slot.parameter", "parameters.d");
}

TEST(Parameters, RefusesShapesThatOverflow) {
  const Case huge = OurCase({{"num_tokens", std::int64_t{1} << 40}, {"d", std::int64_t{1} << 39}});
  const Result<CallPlan> plan = Silu().Plan(huge, DType::kFloat32, 1);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code.text(), "tensor.overflow");
}

TEST(Parameters, RefusesUnknownLayout) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8}}, "transposed"), DType::kFloat32,
                "slot.layout", "layout");
}

TEST(Parameters, RefusesUnknownValueProfile) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8}}, "dense", "eps_dominated"), DType::kFloat32,
                "slot.value_profile", "value_profile");
}

TEST(Parameters, RefusesOtherCallDTypes) {
  ExpectRefused(OurCase({{"num_tokens", 8}, {"d", 8}}), DType::kFloat64, "slot.call_dtype",
                "dtype");
}

}  // namespace
}  // namespace cacheon::slots
