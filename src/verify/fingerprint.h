// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A keyed 64-bit fingerprint of memory, several times faster than a copy and a comparison. The key
// is secret per run, so that nobody can prepare two contents with the same fingerprint.

#include <cstddef>
#include <cstdint>
#include <span>

namespace cacheon::verify {

// Reads every byte once, on all cores; the value does not depend on how many there are.
std::uint64_t Fingerprint(std::span<const std::byte> bytes, std::uint64_t key);

}  // namespace cacheon::verify
