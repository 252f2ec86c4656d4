// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

namespace cacheon {
namespace {

using std::chrono::milliseconds;

TEST(DeadlineTest, PollTimeoutRoundsUpAndEndsAtZero) {
  EXPECT_EQ(Deadline::After(std::chrono::nanoseconds(-1)).PollTimeout(), 0);
  EXPECT_TRUE(Deadline::After(std::chrono::nanoseconds(0)).passed());
  const Deadline deadline = Deadline::After(std::chrono::hours(1));
  EXPECT_FALSE(deadline.passed());
  EXPECT_GT(deadline.PollTimeout(), 3'500'000);
  EXPECT_GT(Deadline::After(std::chrono::hours(100'000)).PollTimeout(), 2'000'000'000);
}

class MessageTest : public testing::Test {
 protected:
  MessageTest() {
    auto sockets = OpenMessageSockets();
    EXPECT_TRUE(sockets);
    left_ = std::move(sockets->first);
    right_ = std::move(sockets->second);
  }

  Received Receive() { return ReceiveMessage(right_.get(), buffer_); }

  UniqueFd left_;
  UniqueFd right_;
  std::array<std::byte, 8> buffer_{};
};

TEST_F(MessageTest, BordersAreKept) {
  EXPECT_EQ(SendMessage(left_.get(), "abc", {}), MessageState::kComplete);
  EXPECT_EQ(SendMessage(left_.get(), "de", {}), MessageState::kComplete);
  EXPECT_EQ(Receive().size, 3U);
  EXPECT_EQ(buffer_[0], std::byte{'a'});
  EXPECT_EQ(Receive().size, 2U);
  EXPECT_EQ(Receive().state, MessageState::kWouldBlock);
}

TEST_F(MessageTest, LongMessageIsToldAndGone) {
  EXPECT_EQ(SendMessage(left_.get(), "nine char", {}), MessageState::kComplete);
  EXPECT_EQ(Receive().state, MessageState::kTooLarge);
  EXPECT_EQ(Receive().state, MessageState::kWouldBlock);
}

TEST_F(MessageTest, EndOfTheOtherSideIsSeenByBoth) {
  right_.reset();
  EXPECT_EQ(SendMessage(left_.get(), "x", {}), MessageState::kClosed);
  EXPECT_EQ(ReceiveMessage(left_.get(), buffer_).state, MessageState::kClosed);
}

TEST_F(MessageTest, FullSocketDoesNotWait) {
  const std::string text(4096, 'x');
  MessageState state = MessageState::kComplete;
  for (int i = 0; i < 10'000 && state == MessageState::kComplete; ++i) {
    state = SendMessage(left_.get(), text, {});
  }
  EXPECT_EQ(state, MessageState::kWouldBlock);
}

TEST_F(MessageTest, DescriptorsTravelAndStrayOnesAreClosed) {
  auto pipe = OpenPipe();
  ASSERT_TRUE(pipe);
  const std::array<int, 1> fds = {pipe->write_end.get()};
  EXPECT_EQ(SendMessage(left_.get(), "x", fds), MessageState::kComplete);
  pipe->write_end.reset();
  EXPECT_EQ(Receive().size, 1U);
  // The copy that came with the message was the last one.
  char byte = 0;
  EXPECT_EQ(read(pipe->read_end.get(), &byte, 1), 0);
}

TEST(ChannelTest, EverythingIsClosedOnExec) {
  const auto pipe = OpenPipe();
  const auto event = OpenEvent();
  const auto sockets = OpenMessageSockets();
  ASSERT_TRUE(pipe && event && sockets);
  for (const int fd : {pipe->read_end.get(), pipe->write_end.get(), event->get(),
                       sockets->first.get(), sockets->second.get()}) {
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(ChannelTest, RaisedEventIsReadable) {
  const auto event = OpenEvent();
  ASSERT_TRUE(event);
  pollfd ready{.fd = event->get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&ready, 1, 0), 0);
  RaiseEvent(event->get());
  EXPECT_EQ(poll(&ready, 1, 0), 1);
}

TEST(ChannelTest, NoDescriptorsLeftIsTheMachinesFault) {
  rlimit saved{};
  getrlimit(RLIMIT_NOFILE, &saved);
  const rlimit none{.rlim_cur = 0, .rlim_max = saved.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const auto pipe = OpenPipe();
  const auto event = OpenEvent();
  const auto sockets = OpenMessageSockets();
  setrlimit(RLIMIT_NOFILE, &saved);
  ASSERT_FALSE(pipe || event || sockets);
  EXPECT_EQ(pipe.error().code.text(), "process.channel");
  EXPECT_EQ(event.error().code.text(), "process.channel");
  EXPECT_EQ(sockets.error().code.text(), "process.channel");
}

TEST(SignalProcessTest, ReachesTheProcessOfTheDescriptor) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  ASSERT_TRUE(pidfd);
  SignalProcess(pidfd.get(), SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  SignalProcess(pidfd.get(), SIGKILL);  // gone: no effect
}

}  // namespace
}  // namespace cacheon
