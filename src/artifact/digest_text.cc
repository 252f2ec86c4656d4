// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/digest_text.h"

#include <fmt/format.h>

#include "cacheon/core/sha256.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {

Result<std::string> ParseDigest(const Json* value, ZeroDigest zero, const KeyPath& path) {
  const std::string_view text = TextOf(value);
  if (!ParseSha256Hex(text)) {
    return Fail("dg.format",
                fmt::format("a digest is 64 lower-case hex digits, not {}", Spell(value)),
                path.where());
  }
  if (zero == ZeroDigest::kRefuse && text.find_first_not_of('0') == std::string_view::npos) {
    return Fail("dg.zero", "the all-zero digest identifies nothing", path.where());
  }
  return std::string(text);
}

}  // namespace cacheon::artifact
