// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The secrets of a run: a key from the system's entropy and a fresh stream for every tensor.
// Nothing of it depends on the seed, which a replay repeats.

#include <atomic>
#include <cstdint>

#include "cacheon/core/philox.h"

namespace cacheon::verify {

class Secrets {
 public:
  Secrets() : key_(SystemEntropy()) {}
  std::uint64_t key() const { return key_; }
  std::uint64_t NextStream() { return ++stream_; }  // from any thread

 private:
  std::uint64_t key_;
  std::atomic<std::uint64_t> stream_ = 0;
};

}  // namespace cacheon::verify
