// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The text that Python's `str` gives a TOML value, which the published reader takes where a string
// is expected.

#include <string>

#include "cacheon/core/json.h"

namespace cacheon::bundle {

// `42`, `True`, `1e+16`, `2026-01-02`, `['a', 1]`, `{'k': None}`. Strings stand as they are at the
// top and quoted inside containers.
std::string PythonText(const Json& value);

}  // namespace cacheon::bundle
