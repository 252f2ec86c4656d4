// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The layers of the sandbox by number, so that a child that may not allocate can report them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cacheon/worker/isolation.h"

namespace cacheon::worker {

enum class LayerKind : std::uint8_t {
  kUserNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kMountNamespace,
  kIpcNamespace,
  kUtsNamespace,
  kCgroupNamespace,
  kPrivateRoot,       // a root of our own, read-only but for a private scratch folder
  kUnprivilegedUser,  // not uid 0, also outside
  kNoCapabilities,
  kNoNewPrivileges,
  kResourceLimits,
  kLandlock,
  kSeccomp,
  kOwnSession,
  kParentDeathKill,
  kFaultAttribution,  // the controller learns from the kernel which access faulted
};
inline constexpr int kLayerCount = 17;
inline constexpr int kNamespaceLayerCount = 7;  // the first ones

// Why a layer is or is not there: 0 active, kNotTried, else the errno of the call that failed.
using LayerStates = std::array<std::int32_t, kLayerCount>;
inline constexpr std::int32_t kNotTried = -1;

inline std::int32_t& StateOf(LayerStates& states, LayerKind kind) {
  return states[static_cast<std::size_t>(kind)];
}
inline std::int32_t StateOf(const LayerStates& states, LayerKind kind) {
  return states[static_cast<std::size_t>(kind)];
}

IsolationReport MakeIsolationReport(const LayerStates& states, int landlock_abi);

}  // namespace cacheon::worker
