// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/worker/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace cacheon::worker {
namespace {

constexpr std::array<std::string_view, kLayerCount> kNames = {
    "user_namespace",    "pid_namespace",   "network_namespace", "mount_namespace",
    "ipc_namespace",     "uts_namespace",   "cgroup_namespace",  "private_root",
    "unprivileged_user", "no_capabilities", "no_new_privileges", "resource_limits",
    "landlock",          "seccomp",         "own_session",       "parent_death_kill",
    "fault_attribution"};

std::string Detail(LayerKind kind, std::int32_t state, int landlock_abi) {
  if (state == 0) {
    return kind == LayerKind::kLandlock ? fmt::format("ABI {}", landlock_abi) : std::string();
  }
  if (state == kNotTried) return "not available with the layers above";
  char buffer[128];
  return strerror_r(state, buffer, sizeof buffer);
}

}  // namespace

IsolationReport MakeIsolationReport(const LayerStates& states, int landlock_abi) {
  IsolationReport report;
  for (std::size_t i = 0; i < states.size(); ++i) {
    report.layers.push_back({.name = kNames[i],
                             .active = states[i] == 0,
                             .detail = Detail(static_cast<LayerKind>(i), states[i], landlock_abi)});
  }
  return report;
}

bool IsolationReport::full() const {
  return !layers.empty() && std::ranges::all_of(layers, &Layer::active);
}

std::string_view IsolationReport::level() const {
  if (full()) return "full";
  const auto is_namespace = [](const Layer& layer) {
    return layer.active && layer.name.ends_with("_namespace");
  };
  return std::ranges::any_of(layers, is_namespace) ? "best" : "process-only";
}

Json IsolationReport::ToJson() const {
  Json json = Json::Object{};
  for (const Layer& layer : layers) json[layer.name] = layer.active;
  return json;
}

}  // namespace cacheon::worker
