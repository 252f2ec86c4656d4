// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few text rules that the documents of a bundle share.

#include <span>
#include <string>
#include <string_view>

namespace cacheon::bundle {

// Without Unicode white space at both ends (the set of Python's `str.strip`). `text` is UTF-8.
std::string_view Trim(std::string_view text);

// One or more of `[0-9A-Za-z._-]`.
bool IsId(std::string_view text);

// A Python identifier by Unicode 14 (XID_Start, XID_Continue), without normalisation; keywords are
// identifiers here.
bool IsPythonIdentifier(std::string_view text);

// A word of Python's grammar that can never name a function (`class`, `None`).
bool IsPythonKeyword(std::string_view text);

// The candidate whose spelling is closest to `name`; empty when none is close enough to be meant.
std::string_view NearestKey(std::string_view name, std::span<const std::string_view> candidates);

// `text` in backquotes for a message: cut after 80 bytes, control characters as `\x1b`, so that a
// hostile document can neither flood nor steer a terminal.
std::string Quoted(std::string_view text);

}  // namespace cacheon::bundle
