// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/alignment.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "cacheon/artifact/limits.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {

Result<int> ParseAlignment(const Json* value, const KeyPath& path) {
  const auto bytes = ExactInteger(value, 1, kMaxAlignmentBytes);
  if (!bytes || !std::has_single_bit(static_cast<std::uint64_t>(*bytes))) {
    return Fail("bd.align",
                fmt::format("an alignment is a power of two in 1..{} bytes, not {}",
                            kMaxAlignmentBytes, Spell(value)),
                path.where());
  }
  return static_cast<int>(*bytes);
}

}  // namespace cacheon::artifact
