// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the resources of a call to the frame that a device plan reads: each binding's projection,
// with the checks of its cast, alignment and unsqueezes. This is the plain form, which looks names
// up.

#include <span>
#include <vector>

#include "cacheon/artifact/binding.h"
#include "cacheon/artifact/live_extent.h"
#include "cacheon/artifact/live_frame.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

// The value of one binding. Scalars keep binary64 precision: rounding to the cast's width happens
// when a parameter is packed. Aggregates are checked and give UnreadableValue, because no plan may
// refer to them. Group pointers are refused: nothing here resolves them. Codes rx.unavailable (no
// such resource), rt.cast, rt.align, rt.unsqueeze, rt.group, ev.axis_live, ev.range, tf.inspect.
Result<LiveValue> ProjectBinding(const Binding& binding, std::span<const LiveResource> live);

// Every binding in order; the place's key path is `bindings[i]`.
Result<std::vector<LiveValue>> ProjectFrame(const std::vector<Binding>& bindings,
                                            std::span<const LiveResource> live);

}  // namespace cacheon::artifact
