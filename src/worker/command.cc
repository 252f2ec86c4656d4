// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/command.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "src/worker/fault.h"

namespace cacheon::worker {
namespace {

Json IntegerArray(std::span<const std::int64_t> numbers) {
  Json::Array array;
  for (const std::int64_t number : numbers) array.emplace_back(number);
  return array;
}

Json GrantJson(const TensorArgument& argument) {
  const TensorMemory& memory = *argument.memory;
  const std::size_t storage_bytes =
      memory.element_begin_byte() + memory.element_span_bytes() - memory.storage_begin_byte();
  return Json::Object{{"id", GrantId(argument)},
                      {"bytes", std::uint64_t{memory.bytes().size()}},
                      {"guard_bytes", kGuardBytes},
                      {"before_offset", kBeforeOffset},
                      {"writable", argument.writable},
                      {"storage_begin", std::uint64_t{memory.storage_begin_byte()}},
                      {"storage_bytes", std::uint64_t{storage_bytes}},
                      {"offset", memory.offset_elements()},
                      {"dtype", tensor::Name(memory.dtype())},
                      {"shape", IntegerArray(memory.layout().shape)},
                      {"strides", IntegerArray(memory.layout().strides)}};
}

// JSON has no infinities; the shim reads these as text.
Json FloatJson(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json ArgumentJson(const CallArgument& argument) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, TensorArgument>) {
          return Json::Object{{"tensor", GrantId(value)}};
        } else if constexpr (std::is_same_v<T, PreparedArgument>) {
          return Json::Object{{"prepared", true}};
        } else if constexpr (std::is_same_v<T, double>) {
          return Json::Object{{"value", FloatJson(value)}};
        } else {
          return Json::Object{{"value", value}};
        }
      },
      argument);
}

}  // namespace

std::uint64_t GrantId(const TensorArgument& argument) {
  return argument.memory->id() * 2 + (argument.writable ? 1 : 0);
}

Json StartCommand(int thread_count, bool traced, std::span<const std::byte> filter) {
  std::string hex;
  for (const std::byte byte : filter) hex += fmt::format("{:02x}", std::to_integer<int>(byte));
  return Json::Object{{"op", "start"},
                      {"threads", thread_count},
                      {"traced", traced},
                      {"seccomp", SYS_seccomp},
                      {"filter", std::move(hex)}};
}

Json LoadCommand(std::uint32_t sequence, const std::string& root, const std::string& source,
                 const std::string& entry, const std::string& prepare) {
  return Json::Object{{"op", "load"},   {"sequence", sequence},
                      {"root", root},   {"source", root + "/" + source},
                      {"entry", entry}, {"prepare", prepare}};
}

Json CallCommand(std::uint32_t sequence, const char* op, std::span<const TensorArgument> grants,
                 std::span<const CallArgument> arguments) {
  Json::Array grant_list;
  for (const TensorArgument& grant : grants) grant_list.push_back(GrantJson(grant));
  Json::Array argument_list;
  for (const CallArgument& argument : arguments) argument_list.push_back(ArgumentJson(argument));
  return Json::Object{{"op", op},
                      {"sequence", sequence},
                      {"grants", std::move(grant_list)},
                      {"arguments", std::move(argument_list)}};
}

Json RevokeCommand(std::uint32_t sequence, std::uint64_t grant) {
  return Json::Object{{"op", "revoke"}, {"sequence", sequence}, {"grant", grant}};
}

Json StopCommand(std::uint32_t sequence) {
  return Json::Object{{"op", "stop"}, {"sequence", sequence}};
}

}  // namespace cacheon::worker
