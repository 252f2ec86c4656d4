// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it maps granted files and receives descriptors by hand.

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/process.h"
#include "cacheon/tensor/dtype.h"
#include "cacheon/worker/native.h"
#include "src/worker/command.h"
#include "src/worker/fault.h"
#include "src/worker/status_frame.h"
#include "src/worker/worker_start.h"

namespace cacheon::worker {
namespace {

struct Command {
  Json body;
  std::vector<UniqueFd> fds;
};

// nullopt when the controller is gone. What the controller sends is trusted.
std::optional<Command> ReceiveCommand(int socket) {
  std::vector<char> text(kMaxCommandBytes);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxMessageFds * sizeof(int))> control{};
  iovec part{.iov_base = text.data(), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return std::nullopt;
  Command command;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
    std::vector<int> fds((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(fds.data(), CMSG_DATA(header), fds.size() * sizeof(int));
    for (const int fd : fds) command.fds.emplace_back(fd);
  }
  auto body = ReadJson({text.data(), static_cast<std::size_t>(size)});
  if (!body) return std::nullopt;
  command.body = std::move(*body);
  return command;
}

std::vector<std::int64_t> IntegersOf(const Json& array) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : array.as_array()) numbers.push_back(number.as_int64());
  return numbers;
}

// A mapped tensor of the worker.
struct MappedGrant {
  std::byte* base = nullptr;
  std::size_t total_bytes = 0;
  tensor::TensorView view;
};

// As the shim does it: the content between two stretches of the same file without access.
std::optional<MappedGrant> MapGrant(const Json& grant, int fd) {
  const auto number = [&](std::string_view key) { return grant.Find(key)->as_int64(); };
  const auto size = static_cast<std::size_t>(number("bytes"));
  MappedGrant mapped{.base = nullptr, .total_bytes = size + 2 * kGuardBytes, .view = {}};
  void* base = mmap(nullptr, mapped.total_bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return std::nullopt;
  mapped.base = static_cast<std::byte*>(base);
  const int protection = PROT_READ | (grant.Find("writable")->as_bool() ? PROT_WRITE : 0);
  const auto map = [&](std::size_t at, std::size_t length, int allowed, std::uint64_t offset) {
    return mmap(mapped.base + at, length, allowed, MAP_SHARED | MAP_FIXED, fd,
                static_cast<off_t>(offset)) != MAP_FAILED;
  };
  if (!map(0, kGuardBytes, PROT_NONE, kBeforeOffset) || !map(kGuardBytes, size, protection, 0) ||
      !map(kGuardBytes + size, kGuardBytes, PROT_NONE, size)) {
    return std::nullopt;
  }
  const auto dtype = tensor::ParseDType(grant.Find("dtype")->as_string());
  if (!dtype) return std::nullopt;
  const auto first = static_cast<std::size_t>(number("storage_begin")) +
                     static_cast<std::size_t>(number("offset")) * tensor::ItemSize(*dtype);
  mapped.view = {.data = mapped.base + kGuardBytes + first,
                 .dtype = *dtype,
                 .layout = {.shape = IntegersOf(*grant.Find("shape")),
                            .strides = IntegersOf(*grant.Find("strides"))}};
  return mapped;
}

// Answers commands until the controller says stop or goes away.
class NativeServer {
 public:
  NativeServer(int socket, NativeEntry entry) : socket_(socket), entry_(entry) {}

  void Serve() {
    if (!ReceiveCommand(socket_)) return;
    Send({.kind = FrameKind::kReady, .text = "native"});
    while (std::optional<Command> command = ReceiveCommand(socket_)) {
      Send(Execute(*command));
      if (command->body.Find("op")->as_string() == "stop") return;
    }
  }

 private:
  void Send(const StatusFrame& frame) const {
    const FrameBytes bytes = EncodeStatusFrame(frame);
    iovec part{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    // The filter allows sendmsg and no other way to send.
    [[maybe_unused]] const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL);
  }

  StatusFrame Execute(const Command& command) {
    const std::string& op = command.body.Find("op")->as_string();
    StatusFrame frame{.sequence =
                          static_cast<std::uint32_t>(command.body.Find("sequence")->as_int64())};
    if (op == "call") return Call(command, std::move(frame));
    if (op == "revoke") {
      const auto grant = grants_.find(command.body.Find("grant")->as_int64());
      if (grant == grants_.end()) return frame;
      munmap(grant->second.base, grant->second.total_bytes);
      grants_.erase(grant);
    }
    return frame;
  }

  StatusFrame Call(const Command& command, StatusFrame frame) {
    const Json::Array& grants = command.body.Find("grants")->as_array();
    for (std::size_t i = 0; i < grants.size(); ++i) {
      auto mapped = MapGrant(grants[i], command.fds[i].get());
      if (!mapped) {
        frame.kind = FrameKind::kError;
        frame.detail = static_cast<std::uint32_t>(ErrorKind::kSetup);
        frame.text = "cannot map a tensor";
        return frame;
      }
      grants_.insert_or_assign(grants[i].Find("id")->as_int64(), std::move(*mapped));
    }
    std::vector<NativeArgument> arguments;
    for (const Json& argument : command.body.Find("arguments")->as_array()) {
      arguments.push_back(ArgumentOf(argument));
    }
    frame.detail = entry_(arguments) ? 1 : 0;
    return frame;
  }

  NativeArgument ArgumentOf(const Json& argument) const {
    if (const Json* tensor = argument.Find("tensor")) return grants_.at(tensor->as_int64()).view;
    const Json& value = *argument.Find("value");
    if (value.is_bool()) return value.as_bool();
    if (value.is_int64()) return value.as_int64();
    return value.as_double();
  }

  int socket_;
  NativeEntry entry_;
  std::map<std::int64_t, MappedGrant> grants_;
};

}  // namespace

Result<std::unique_ptr<Worker>> StartNativeWorker(const WorkerOptions& options, NativeEntry entry) {
  return StartProcess(options, [entry](int socket) { NativeServer(socket, entry).Serve(); });
}

}  // namespace cacheon::worker
