// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A call that differs from another in one element of one input. A candidate that knows old inputs
// again by their shape, by a sample of their elements or by a sum takes the two for the same.

#include <optional>

#include "cacheon/core/philox.h"
#include "cacheon/slots/case.h"

namespace cacheon::verify {

// The twin of a call: one random element of one input that changes between calls has the other
// sign, or is 1 where it was zero. Index inputs stay as they are, since few of their values are
// legal. nullopt when no input has elements that may change.
std::optional<slots::CallPlan> ChangedTwin(const slots::CallPlan& plan,
                                           const slots::Contract& contract, Philox& random);

}  // namespace cacheon::verify
