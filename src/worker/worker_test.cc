// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What honest candidates get: memory without copies, arguments, prepared state, and their output.

#include "cacheon/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/worker/candidate_fixture_test.h"

namespace cacheon::worker {
namespace {

using WorkerTest = CandidateTest;

TEST_F(WorkerTest, CallWritesIntoTheControllersMemory) {
  const tensor::TensorView input = input_.view();
  for (int i = 0; i < 32; ++i) tensor::Elements<float>(input)[i] = static_cast<float>(i);
  ASSERT_TRUE(input_.Seal());
  const Outcome outcome = Run("def entry(x, out):\n    out.copy_(x * 2)\n");
  ASSERT_TRUE(outcome.done()) << FormatError(*outcome.error) << worker_->captured_stderr();
  const float* result = tensor::Elements<float>(output_.const_view());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(result[i], static_cast<float>(2 * i));
  EXPECT_FALSE(outcome.returned_value);
  EXPECT_GT(outcome.threads_before, 0);
  EXPECT_EQ(outcome.threads_before, outcome.threads_after);
  EXPECT_TRUE(worker_->Stop(kLimit).done());
}

}  // namespace
}  // namespace cacheon::worker
