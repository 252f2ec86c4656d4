// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Key paths of errors: `ops[2].specializes."input.eps"`. Bare TOML keys stand as they are, other
// keys are quoted with `"` and `\` escaped, so that a path can be read back.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cacheon::bundle {

// `path` followed by a member; the key alone when `path` is empty.
std::string JoinKey(std::string_view path, std::string_view key);
// `path` followed by an item, counted from 0.
std::string JoinIndex(std::string_view path, std::size_t index);

using KeyStep = std::variant<std::string, std::size_t>;

// The steps of a path; nullopt when it is not well formed.
std::optional<std::vector<KeyStep>> SplitKeyPath(std::string_view path);

}  // namespace cacheon::bundle
