// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cacheon/slots/input_values.h"
#include "cacheon/slots/slot.h"

namespace cacheon::slots {
namespace {

TEST(Sources, DependOnThePositionOnly) {
  for (const FloatSource& source :
       {NormalSource({.seed = 3, .stream = 1}, 2, 1), UniformSource({.seed = 3}, -1, 2)}) {
    std::vector<float> whole(1001);
    source(0, whole);
    for (const std::int64_t first : {0, 1, 2, 3, 5, 998}) {
      std::vector<float> part(std::min<std::size_t>(17, 1001 - static_cast<std::size_t>(first)));
      source(first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first)) << first;
    }
  }
}

TEST(Sources, UniformIntegersCoverTheirRange) {
  std::vector<std::int64_t> ids(4000);
  UniformIntSource({.seed = 5}, 7)(0, ids);
  for (std::int64_t id = 0; id < 7; ++id) {
    const auto count = std::ranges::count(ids, id);
    EXPECT_GT(count, 400);
    EXPECT_LT(count, 750);
  }
}

TEST(InputValues, DoNotDependOnHowTheyAreSplit) {
  for (const Slot* slot : Catalogue()) {
    for (const Case& the_case : slot->OurCases()) {
      const Result<CallPlan> plan = slot->Plan(the_case, tensor::DType::kBFloat16, 11);
      ASSERT_TRUE(plan.has_value());
      const auto* input = std::get_if<PlannedTensor>(&plan->arguments[0]);
      ASSERT_NE(input, nullptr);
      const std::int64_t count =
          std::min<std::int64_t>(tensor::ElementCount(input->layout.shape).value(), 10000);
      const auto bytes = static_cast<std::size_t>(count) * 2;
      std::vector<std::byte> whole(bytes);
      std::vector<std::byte> split(bytes);
      WriteInputValues(*input, 0, count, whole.data());
      const std::int64_t cut = count / 3;
      WriteInputValues(*input, cut, count - cut, split.data() + cut * 2);
      WriteInputValues(*input, 0, cut, split.data());
      EXPECT_EQ(whole, split) << slot->contract().id << ' ' << the_case.value_profile;
    }
  }
}

}  // namespace
}  // namespace cacheon::slots
