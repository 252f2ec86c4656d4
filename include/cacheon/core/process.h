// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channels to other processes and the clock that bounds every wait for them: pipes, sockets that
// carry descriptors, process descriptors. Whatever arrives through these is untrusted.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon {

// A moment on CLOCK_MONOTONIC. Waits take a Deadline, not a duration, so that a loop of waits
// cannot exceed what its caller allowed.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline After(std::chrono::nanoseconds duration) {
    return Deadline(Clock::now() + duration);
  }

  bool passed() const { return Clock::now() >= when_; }
  // For poll(2): milliseconds until then, rounded up, at least 0.
  int PollTimeout() const;

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

// Both ends are close-on-exec. Code: process.channel.
Result<Pipe> OpenPipe();

// Two connected Unix sockets that keep message borders (SOCK_SEQPACKET), close-on-exec.
// Code: process.channel.
Result<std::pair<UniqueFd, UniqueFd>> OpenMessageSockets();

// A counter that poll(2) can wait for, at 0, close-on-exec. Code: process.channel.
Result<UniqueFd> OpenEvent();

// How an attempt to exchange one message ended.
enum class MessageState {
  kComplete,
  kWouldBlock,  // nothing to read, or no room to write: wait for the descriptor
  kClosed,      // the other end is gone
  kTooLarge,    // the message did not fit the buffer; its rest is lost
};

// Sends one message with descriptors, without waiting. At most kMaxMessageFds descriptors.
inline constexpr std::size_t kMaxMessageFds = 60;
MessageState SendMessage(int socket, std::string_view text, std::span<const int> fds);

// Receives one message without waiting; `size` is the number of bytes written to `buffer`.
// Descriptors that come with it are refused: the kernel closes them.
struct Received {
  MessageState state;
  std::size_t size;
};
Received ReceiveMessage(int socket, std::span<std::byte> buffer);

// Sends a signal through a process descriptor, which cannot hit another process that took the
// number. Has no effect on a process that is gone.
void SignalProcess(int pidfd, int signal);

// Makes an event readable for good.
void RaiseEvent(int event);

}  // namespace cacheon
