// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// What a reviewer should look at in a CUBIN: memory that outlives a launch, ways out of a kernel
// besides its outputs, and calls whose target the file does not name.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "cacheon/artifact/cubin.h"
#include "cacheon/artifact/key_path.h"

namespace cacheon::artifact {
namespace {

constexpr KeyPath kKernels("kernels");
constexpr KeyPath kGlobals("globals");

constexpr std::string_view kHeapCalls[] = {"malloc", "free"};

Error Finding(Code code, Severity severity, std::string message, std::string key_path,
              std::string_view symbol, std::string_view hint) {
  return {.code = code,
          .message = std::move(message),
          .where = {.key_path = std::move(key_path)},
          .hint = std::string(hint),
          .symbol = std::string(symbol),
          .severity = severity};
}

// A call of the device's runtime; `caller` is a kernel or empty for the rest of the module.
Error DeviceCallFinding(std::string_view call, std::string_view caller) {
  const std::string who = caller.empty() ? "a function" : fmt::format("kernel `{}`", caller);
  const std::string place = caller.empty() ? "device_calls" : kKernels.Key(caller).Text();
  if (std::ranges::find(kHeapCalls, call) != std::end(kHeapCalls)) {
    return Finding(
        "cubin.device_heap", Severity::kWarning,
        fmt::format("{} calls `{}`: what lies in the device heap outlives the launch", who, call),
        place, call, "use a workspace of the plan");
  }
  if (call == "vprintf") {
    return Finding("cubin.print", Severity::kWarning,
                   fmt::format("{} prints: text leaves the kernel besides its outputs", who), place,
                   call, "compile without printf");
  }
  if (call == "__assertfail") {
    return Finding("cubin.assertion", Severity::kNote,
                   fmt::format("{} has an assertion; one that fails ends the context", who), place,
                   call, "compile with -DNDEBUG");
  }
  return Finding("cubin.device_call", Severity::kNote,
                 fmt::format("{} calls `{}` of the device's runtime", who, call), place, call, "");
}

Error IndirectCallFinding(std::uint32_t count, std::string_view caller) {
  const std::string who = caller.empty() ? "functions" : fmt::format("kernel `{}`", caller);
  const std::string place = caller.empty() ? "indirect_calls" : kKernels.Key(caller).Text();
  return Finding(
      "cubin.indirect_call", Severity::kNote,
      fmt::format("{}: {} calls through a register, whose targets the file does not name", who,
                  count),
      place, caller, "call functions by name");
}

Error GlobalFinding(const CubinGlobal& global, std::size_t index) {
  const std::string what =
      global.name.empty() ? "a nameless object" : fmt::format("`{}`", global.name);
  return Finding("cubin.writable_global", Severity::kWarning,
                 fmt::format("{} ({} bytes) can be written by every kernel and keeps its value "
                             "between launches",
                             what, global.size_bytes),
                 kGlobals.At(index).Text(), global.name,
                 "use __constant__ for tables and a workspace of the plan for the rest");
}

}  // namespace

std::vector<Error> CubinFindings(const Cubin& cubin) {
  std::vector<Error> findings;
  for (std::size_t i = 0; i < cubin.globals.size(); ++i) {
    findings.push_back(GlobalFinding(cubin.globals[i], i));
  }
  std::set<std::string_view> attributed;
  for (const CubinKernel& kernel : cubin.kernels) {
    for (const std::string& call : kernel.device_calls) {
      findings.push_back(DeviceCallFinding(call, kernel.name));
      attributed.insert(call);
    }
    if (kernel.indirect_calls > 0) {
      findings.push_back(IndirectCallFinding(kernel.indirect_calls, kernel.name));
    }
  }
  for (const std::string& call : cubin.device_calls) {
    if (!attributed.contains(call)) findings.push_back(DeviceCallFinding(call, ""));
  }
  if (cubin.indirect_calls > 0) findings.push_back(IndirectCallFinding(cubin.indirect_calls, ""));
  if (cubin.ptx_bytes > 0) {
    findings.push_back(
        Finding("cubin.embedded_ptx", Severity::kNote,
                fmt::format("{} bytes of PTX text lie beside the code", cubin.ptx_bytes),
                "ptx_bytes", "", "compile without -lineinfo and -G"));
  }
  return findings;
}

}  // namespace cacheon::artifact
