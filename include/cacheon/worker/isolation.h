// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The layers of a worker's sandbox, and which of them this machine could give. A layer that is
// missing is named, never silent.

#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"

namespace cacheon::worker {

struct Layer {
  std::string_view name;  // "user_namespace", "landlock", "seccomp", ...
  bool active = false;
  std::string detail = {};  // why it is missing, or its version
};

struct IsolationReport {
  std::vector<Layer> layers;  // always all of them, in a fixed order

  bool full() const;
  // "full", "best" (some layer is missing) or "process-only" (no namespaces).
  std::string_view level() const;
  Json ToJson() const;  // {"user_namespace": true, ...}
};

// Starts and stops one empty sandbox and reports its layers; for `cacheon doctor`.
IsolationReport ProbeIsolation();

}  // namespace cacheon::worker
