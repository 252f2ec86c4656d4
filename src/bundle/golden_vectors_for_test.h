// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The golden vectors that tests read.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::bundle {

inline std::string DecodeBase64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) continue;  // padding
    buffer = buffer << 6U | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> static_cast<unsigned>(bits) & 0xFFU);
  }
  return bytes;
}

// tests/data/vectors/bundle/NAME.
inline Json BundleVectors(std::string_view name) {
  const std::string path =
      std::string(CACHEON_SOURCE_DIR) + "/tests/data/vectors/bundle/" + std::string(name);
  auto text = ReadFile(path, 64U << 20U);
  EXPECT_TRUE(text) << path;
  auto json = ReadJson(text.value_or("null"), {.max_values = 4'000'000});
  EXPECT_TRUE(json) << path;
  return json.value_or(Json());
}

}  // namespace cacheon::bundle
