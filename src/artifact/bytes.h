// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Little-endian stores.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

namespace cacheon::artifact {

static_assert(std::endian::native == std::endian::little, "parameters are stored as they lie");

// Stores the low `bytes` bytes of `value`; requires room for them.
template <std::integral T>
void StoreLittle(T value, std::size_t bytes, std::span<std::byte> out) {
  std::memcpy(out.data(), &value, bytes);
}

template <std::integral T>
void StoreLittle(T value, std::span<std::byte> out) {
  StoreLittle(value, sizeof(value), out);
}

}  // namespace cacheon::artifact
