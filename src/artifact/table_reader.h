// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading closed tables out of JSON values: key sets, exact integers, texts of a closed set, and
// the name grammars of direct artifacts. Nothing here reports an error; callers own codes and
// places.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cacheon/core/json.h"

namespace cacheon::artifact {

// What is wrong with the keys of a table, and which keys there are.
struct FieldProblem {
  std::string message;
  std::string hint;
};

// The first unknown or missing key of `table`; nullopt when the key set is right.
std::optional<FieldProblem> FindFieldProblem(const Json::Object& table,
                                             std::span<const std::string_view> required,
                                             std::span<const std::string_view> optional = {});

// The member `key` of `table`, or nullptr when it is absent or null.
const Json* Present(const Json& table, std::string_view key);

// The value of an exact integer within [minimum, maximum]; nullopt for anything else, also nullptr.
std::optional<std::int64_t> ExactInteger(const Json* value, std::int64_t minimum,
                                         std::int64_t maximum);

// The text of a string; empty for anything else, also nullptr. No text of a closed set is empty.
std::string_view TextOf(const Json* value);

// A short spelling of a value for messages; "nothing" for nullptr.
std::string Spell(const Json* value);

// "a, b or c".
std::string JoinNames(std::span<const std::string_view> names);

// The member of a closed set of names that `value` spells, as index; nullopt when it is none.
std::optional<std::size_t> IndexOf(std::span<const std::string_view> names, const Json* value);

// [a-z0-9][a-z0-9._-]{0,limit-1}, the whole text.
bool IsArtifactId(std::string_view text, std::size_t limit);

// prefix(.part){minimum_parts,3} with part = [a-z][a-z0-9_]{0,63} and a prefix of `prefixes`.
bool IsResourceName(std::string_view text, std::span<const std::string_view> prefixes,
                    int minimum_parts);

// Any resource: (input|output|workspace|prepared|state|group|stream)(.part){0,3}.
bool IsSourceName(std::string_view text);

// [A-Za-z_.$][A-Za-z0-9_.$@]{0,4095}.
bool IsKernelName(std::string_view text);

}  // namespace cacheon::artifact
