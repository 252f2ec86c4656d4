// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plain way from a parameter and a live frame to bytes: the definition that bound launch
// programs are tested against.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/artifact/live_frame.h"
#include "cacheon/artifact/parameter.h"
#include "cacheon/artifact/tma_descriptor.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

using TmaBytes = std::array<std::byte, kTmaDescriptorBytes>;

// What a parameter needs of the driver and of the provider.
class ParameterServices {
 public:
  virtual ~ParameterServices() = default;
  virtual Result<TmaBytes> EncodeTma(const TmaArguments& arguments) = 0;
  // Without a resolver every group handle is refused: pm.group_provider.
  virtual Result<std::uint64_t> ResolveGroup(GroupProjection projection, const LiveValue& group);
};

// The bytes of one parameter. Codes of expressions and packing, pm.*, tm.*, ln.pointer.
Result<std::vector<std::byte>> MaterializeParameter(const Parameter& parameter, LiveFrame frame,
                                                    ParameterServices& services);

// The address that a pointer parameter passes: of a tensor, or an integer as it is. Codes
// ev.binding_missing, tf.inspect, tf.shape, ln.pointer (negative).
Result<std::uint64_t> PointerAt(LiveFrame frame, std::uint8_t binding);

// Where the driver wants a parameter.
struct ParameterSlot {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

// The parameter buffer of a launch: zeros up to the end of the last slot, each value at its offset.
// Gaps are the driver's business. Codes ln.count, ln.width, ln.opaque (a value outside 1..4096
// bytes).
Result<std::vector<std::byte>> PackParameterBuffer(std::span<const ParameterSlot> slots,
                                                   std::span<const std::vector<std::byte>> values);

}  // namespace cacheon::artifact
