// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/output_capture.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cacheon/core/process.h"

namespace cacheon::worker {
namespace {

class OutputCaptureTest : public testing::Test {
 protected:
  OutputCaptureTest() {
    fcntl(pipe_.read_end.get(), F_SETFL, O_NONBLOCK);
    capture_ = OutputCapture(std::move(pipe_.read_end));
  }

  void Print(std::size_t bytes) {
    ASSERT_TRUE(WriteAll(pipe_.write_end.get(), std::string(bytes, 'x')));
    capture_.Drain();
  }

  Pipe pipe_ = std::move(*OpenPipe());
  OutputCapture capture_{UniqueFd()};
};

TEST_F(OutputCaptureTest, KeepsShortText) {
  Print(3);
  Print(2);
  EXPECT_EQ(capture_.text(), "xxxxx");
}

TEST_F(OutputCaptureTest, DrainingAnEmptyPipeReturns) {
  capture_.Drain();
  EXPECT_EQ(capture_.text(), "");
  EXPECT_GE(capture_.fd(), 0);
}

TEST_F(OutputCaptureTest, CountsWhatItDrops) {
  for (int i = 0; i < 5; ++i) Print(20'000);
  EXPECT_THAT(capture_.text(), testing::EndsWith("x\n[34464 more bytes were dropped]\n"));
  EXPECT_LT(capture_.text().size(), OutputCapture::kKeptBytes + 64);
}

TEST_F(OutputCaptureTest, EndsWithThePipe) {
  Print(1);
  pipe_.write_end.reset();
  capture_.Drain();
  EXPECT_EQ(capture_.fd(), -1);
  EXPECT_EQ(capture_.text(), "x");
}

}  // namespace
}  // namespace cacheon::worker
