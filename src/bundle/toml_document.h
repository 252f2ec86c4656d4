// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A TOML document as a Json value and the places of its keys. The only file that includes toml++ is
// the source of this one.

#include <memory>
#include <string>
#include <string_view>

#include "cacheon/bundle/artifact_rows.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

struct TomlDocument {
  Json root;  // an object; dates as kTomlDateKey says, in the text that Python's `str` gives them
  // Shared: it outlives the reading for errors of later checks, and never changes.
  std::shared_ptr<const Places> places = {};
};

// Codes: those of PrecheckToml; manifest.toml_syntax with line and column. `file` is what places
// carry.
Result<TomlDocument> ParseToml(std::string_view text, std::string_view file);

}  // namespace cacheon::bundle
