// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a worker sends is refused, or is a frame that encodes to bytes that read the same again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "src/worker/status_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon::worker;  // NOLINT(google-build-using-namespace): one function
  const auto frame = ParseStatusFrame(std::as_bytes(std::span(data, size)));
  if (!frame) return 0;
  if (ParseStatusFrame(EncodeStatusFrame(*frame)) != frame) std::abort();
  return 0;
}
