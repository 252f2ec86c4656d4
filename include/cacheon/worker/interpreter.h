// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the Python that runs candidates.

#include <string>
#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon::worker {

struct Interpreter {
  std::string path;           // absolute
  std::string version;        // "3.11.2"; empty until probed
  std::string torch_version;  // empty: torch cannot be imported
};

// `requested` (from --python) if not empty, else python3 on PATH if it imports torch, else
// /usr/bin/python3. Finding out is cheap: it looks for the torch package in the interpreter's own
// site folders and does not import it. Codes: env.python_missing, env.torch_missing.
Result<Interpreter> FindInterpreter(std::string_view requested);

}  // namespace cacheon::worker
