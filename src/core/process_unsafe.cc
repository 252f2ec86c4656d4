// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it calls the kernel directly and builds control messages by hand.

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cacheon/core/process.h"

namespace cacheon {

int Deadline::PollTimeout() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

Result<Pipe> OpenPipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return FailErrno("process.channel", "cannot create a pipe", errno);
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<std::pair<UniqueFd, UniqueFd>> OpenMessageSockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return FailErrno("process.channel", "cannot create a pair of sockets", errno);
  }
  return std::pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<UniqueFd> OpenEvent() {
  UniqueFd event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return FailErrno("process.channel", "cannot create an event", errno);
  return event;
}

MessageState SendMessage(int socket, std::string_view text, std::span<const int> fds) {
  CACHEON_CHECK(fds.size() <= kMaxMessageFds, "a message carries too many descriptors");
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxMessageFds * sizeof(int))> control{};
  iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  for (;;) {
    if (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return MessageState::kComplete;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOBUFS) return MessageState::kWouldBlock;
    return errno == EMSGSIZE ? MessageState::kTooLarge : MessageState::kClosed;
  }
}

Received ReceiveMessage(int socket, std::span<std::byte> buffer) {
  for (;;) {
    // MSG_TRUNC makes the result the true size of the message, also when it did not fit.
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return {MessageState::kWouldBlock, 0};
    if (size <= 0) return {MessageState::kClosed, 0};
    if (static_cast<std::size_t>(size) > buffer.size()) return {MessageState::kTooLarge, 0};
    return {MessageState::kComplete, static_cast<std::size_t>(size)};
  }
}

void SignalProcess(int pidfd, int signal) {
  syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0);
}

void RaiseEvent(int event) {
  const std::uint64_t one = 1;
  // The counter cannot overflow with the few events of ours, so the write cannot fail.
  [[maybe_unused]] const ssize_t written = write(event, &one, sizeof one);
}

}  // namespace cacheon
