// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One `[[ops]]` row, checked in the order of bundle.md section 4.2.

#include <map>
#include <set>
#include <string>

#include "src/bundle/table_reader.h"

namespace cacheon::bundle {

// What the rows before have used of a slot.
struct SlotUse {
  bool all_explicit = true;
  std::set<std::string> variants;
};
using SlotUses = std::map<std::string, SlotUse>;

// Appends every error of the row to the context; the row counts only when there was none.
OpRow ReadOpRow(ReadingContext& context, const Json::Object& table, std::string path,
                SlotUses& uses);

}  // namespace cacheon::bundle
