// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the controller says: one JSON object per message, with the descriptors of new grants beside
// it in the order in which the text lists them.
//
//   {"op":"start","threads":1,"traced":true,"seccomp":NUMBER,"filter":"HEX"}   answered by ready
//   {"op":"load","sequence":1,"source":"/bundle/k.py","entry":"f","prepare":""}
//   {"op":"prepare","sequence":2,"grants":[GRANT],"arguments":[ARGUMENT]}
//   {"op":"call","sequence":3,"grants":[GRANT],"arguments":[ARGUMENT]}
//   {"op":"revoke","sequence":4,"grant":7}
//   {"op":"stop","sequence":5}
//
//   GRANT     {"id","bytes","guard_bytes","before_offset","writable","storage_begin",
//              "storage_bytes","offset","dtype","shape","strides"}
//   ARGUMENT  {"tensor":ID} | {"value":BOOLEAN, INTEGER or FLOAT} | {"prepared":true}
//
// A worker learns shapes and memory from it and nothing else: no values, tolerances, seeds, and no
// number of calls that remain.

#include <cstdint>
#include <span>
#include <string>

#include "cacheon/core/json.h"
#include "cacheon/worker/worker.h"

namespace cacheon::worker {

// Longest command; the socket's buffer holds it whole.
inline constexpr std::size_t kMaxCommandBytes = std::size_t{64} << 10U;

// The number of a grant: one memory may be granted both ways.
std::uint64_t GrantId(const TensorArgument& argument);

Json StartCommand(int thread_count, bool traced, std::span<const std::byte> filter);
// `root` is the bundle as the worker sees it, `source` a file below it.
Json LoadCommand(std::uint32_t sequence, const std::string& root, const std::string& source,
                 const std::string& entry, const std::string& prepare);
// `op` is "prepare" or "call"; `grants` are those that the worker does not hold yet.
Json CallCommand(std::uint32_t sequence, const char* op, std::span<const TensorArgument> grants,
                 std::span<const CallArgument> arguments);
Json RevokeCommand(std::uint32_t sequence, std::uint64_t grant);
Json StopCommand(std::uint32_t sequence);

}  // namespace cacheon::worker
