// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A keyed fingerprint of memory, which saves a copy and a comparison. Whoever does not know the key
// cannot prepare two contents of the same length with the same fingerprint: for
// any two, the chance over the key is below 2^-45 up to 2 GiB.

#include <cstddef>
#include <cstdint>
#include <span>

namespace cacheon::verify {

// Reads every byte once, on up to `threads` threads (0: all cores); the value does not depend on
// how many there are.
std::uint64_t Fingerprint(std::span<const std::byte> bytes, std::uint64_t key, int threads = 0);

}  // namespace cacheon::verify
