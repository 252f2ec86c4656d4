// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/changed_twin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cacheon/slots/slot.h"
#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

slots::CallPlan PlanOf(const slots::Slot& slot, const slots::Case& one) {
  Result<slots::CallPlan> plan = slot.Plan(one, tensor::DType::kFloat32, 7);
  EXPECT_TRUE(plan);
  return std::move(*plan);
}

std::vector<float> ValuesOf(const slots::CallPlan& plan, std::size_t argument, std::int64_t first,
                            std::size_t count) {
  std::vector<float> values(count);
  const auto& tensor = std::get<slots::PlannedTensor>(plan.arguments[argument]);
  std::get<slots::FloatSource>(tensor.source)(first, values);
  return values;
}

TEST(ChangedTwin, DiffersInTheSignOfOneElement) {
  const SmallSlot slot;
  const slots::CallPlan plan = PlanOf(slot, SmallCase(4, 8));
  Philox random(3);
  const auto twin = ChangedTwin(plan, slot.contract(), random);
  ASSERT_TRUE(twin);
  const std::vector<float> before = ValuesOf(plan, 0, 0, 64);
  const std::vector<float> after = ValuesOf(*twin, 0, 0, 64);
  int changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    ++changed;
    EXPECT_EQ(after[i], -before[i]);
    // The same element, however the input is cut into blocks.
    EXPECT_EQ(ValuesOf(*twin, 0, static_cast<std::int64_t>(i), 1)[0], after[i]);
  }
  EXPECT_EQ(changed, 1);
  EXPECT_EQ(twin->seed, plan.seed);
  EXPECT_EQ(twin->origin.value_profile, "default+one_changed");
}

TEST(ChangedTwin, ChangesAnotherElementEachTime) {
  const SmallSlot slot;
  const slots::CallPlan plan = PlanOf(slot, SmallCase(40, 80));
  Philox random(3);
  const auto one = ChangedTwin(plan, slot.contract(), random);
  const auto other = ChangedTwin(plan, slot.contract(), random);
  ASSERT_TRUE(one && other);
  EXPECT_NE(ValuesOf(*one, 0, 0, 6400), ValuesOf(*other, 0, 0, 6400));
}

TEST(ChangedTwin, LeavesInputsThatStayBetweenCalls) {
  const slots::Slot& slot = *slots::FindSlot("norm.rmsnorm");
  const slots::CallPlan plan =
      PlanOf(slot, {.parameters = {{"num_tokens", Json(2)}, {"hidden", Json(16)}}});
  Philox random(3);
  for (int i = 0; i < 20; ++i) {
    const auto twin = ChangedTwin(plan, slot.contract(), random);
    ASSERT_TRUE(twin);
    EXPECT_EQ(ValuesOf(plan, 1, 0, 16), ValuesOf(*twin, 1, 0, 16));
  }
}

TEST(ChangedTwin, NeedsAnElement) {
  const SmallSlot slot;
  Philox random(3);
  EXPECT_FALSE(ChangedTwin(PlanOf(slot, SmallCase(0, 8)), slot.contract(), random));
}

}  // namespace
}  // namespace cacheon::verify
