// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One op row: plans its cases for every dtype, prepares them ahead, loads the candidate and runs
// the session.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/slots/slot.h"
#include "cacheon/verify/options.h"
#include "cacheon/verify/verdict.h"
#include "cacheon/worker/worker.h"
#include "src/verify/secrets.h"

namespace cacheon::verify {

// Why a call is outside the row's capability domain, as one line; nullopt when it is inside.
using DomainCheck = std::function<std::optional<std::string>(const Json::Object& descriptor)>;

struct RowRequest {
  const slots::Slot* slot = nullptr;
  std::string variant;
  std::string source;  // relative to the bundle
  std::string entry;
  std::string prepare;                // empty: the row has none
  std::vector<tensor::DType> dtypes;  // to run, in order
  DomainCheck domain;
};

// Runs the row on a worker that has been started for it and not been used. Code: slot.prepare (the
// row names a prepare that the slot has not, or lacks one that it needs).
RowVerdict RunRow(const RowRequest& request, worker::Worker& worker, const Options& options,
                  Secrets& secrets);

}  // namespace cacheon::verify
