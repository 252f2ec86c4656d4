// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is looked at before toml++ sees a manifest: size, encoding, control characters, nesting, and
// number literals that the parser would refuse although the format has them. Such a literal is
// replaced by a string of the same length and its value is kept beside, so that places stay right
// and the field that holds it can judge it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

inline constexpr std::size_t kMaxTomlBytes = 1U << 20U;
// Levels of tables and arrays, dotted keys and headers counted by their parts.
inline constexpr int kMaxTomlDepth = 64;
// Digits of one integer; what follows is quadratic in them.
inline constexpr std::size_t kMaxIntegerDigits = 4300;

struct StandIn {
  int line = 0;    // of the literal, from 1
  int column = 0;  // from 1, in code points
  Json value;      // an integer of any size, or a float (infinite or rounded to zero as it was)
};

struct CheckedToml {
  std::string text;                     // what the parser gets
  std::vector<StandIn> stand_ins = {};  // in the order of the text
};

// Codes, with line and column: manifest.too_large, manifest.toml_syntax (encoding, byte order mark,
// control characters, an integer beyond kMaxIntegerDigits), manifest.too_deep. Does not check the
// rest of the grammar; on text that is not TOML it only promises to end in linear time.
Result<CheckedToml> PrecheckToml(std::string_view text);

}  // namespace cacheon::bundle
