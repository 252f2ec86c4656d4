// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/prepare_ahead.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "src/verify/small_slot_for_test.h"

namespace cacheon::verify {
namespace {

// Counts how many cases have been prepared, by their references.
class CountingSlot final : public slots::Slot {
 public:
  mutable std::atomic<int> references = 0;
  std::chrono::milliseconds delay{0};

  const slots::Contract& contract() const override { return small_.contract(); }
  std::vector<slots::Case> PublishedCases() const override { return {}; }
  std::vector<slots::Case> OurCases() const override { return {}; }
  Result<slots::CallPlan> Plan(const slots::Case& the_case, tensor::DType dtype,
                               std::uint64_t seed) const override {
    return small_.Plan(the_case, dtype, seed);
  }
  void Reference(const slots::CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    std::this_thread::sleep_for(delay);
    small_.Reference(plan, inputs, outputs);
    ++references;
  }

 private:
  SmallSlot small_;
};

std::vector<slots::CallPlan> Plans(const slots::Slot& slot, int count) {
  std::vector<slots::CallPlan> plans;
  for (int i = 0; i < count; ++i) {
    plans.push_back(
        *slot.Plan(SmallCase(4, 8), tensor::DType::kFloat32, static_cast<std::uint64_t>(i)));
  }
  return plans;
}

void AwaitReferences(const CountingSlot& slot, int count) {
  while (slot.references < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(PrepareAhead, GivesTheCasesInOrder) {
  const CountingSlot slot;
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 20);
  PrepareAhead ahead(slot, plans, 1U << 30U, secrets);
  for (std::uint64_t i = 0; i < plans.size(); ++i) {
    const Result<PreparedCase> taken = ahead.Take();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->plan.seed, i);
  }
}

TEST(PrepareAhead, RunsAheadNoFurtherThanTheBudget) {
  const CountingSlot slot;
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 10);
  PrepareAhead ahead(slot, plans, 3 * CaseBytes(plans[0]), secrets);
  AwaitReferences(slot, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(slot.references, 3);
  ASSERT_TRUE(ahead.Take());  // is held until the next one is taken
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(slot.references, 3);
  ASSERT_TRUE(ahead.Take());
  AwaitReferences(slot, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(slot.references, 4);
}

TEST(PrepareAhead, AllowsOneCaseThatIsLargerThanTheBudget) {
  const CountingSlot slot;
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 3);
  PrepareAhead ahead(slot, plans, 1, secrets);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ahead.Take());
}

TEST(PrepareAhead, GivesTheErrorOfACase) {
  const CountingSlot slot;
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 2);
  // No descriptor is left for the memory of a case.
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  PrepareAhead ahead(slot, plans, 1U << 30U, secrets);
  const Result<PreparedCase> taken = ahead.Take();
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code("memory.create"));
  EXPECT_EQ(taken.error().context, std::vector<std::string>{"making input `x`"});
}

TEST(PrepareAhead, EndsWhileItIsBusy) {
  CountingSlot slot;
  slot.delay = std::chrono::milliseconds(5);
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 1000);
  {
    PrepareAhead ahead(slot, plans, 1U << 30U, secrets);
  }
  EXPECT_LT(slot.references, 1000);
}

TEST(PrepareAhead, EndsWhileItWaitsForRoom) {
  const CountingSlot slot;
  Secrets secrets;
  const std::vector<slots::CallPlan> plans = Plans(slot, 3);
  {
    PrepareAhead ahead(slot, plans, 1, secrets);
    AwaitReferences(slot, 1);
  }
  EXPECT_EQ(slot.references, 1);
}

}  // namespace
}  // namespace cacheon::verify
