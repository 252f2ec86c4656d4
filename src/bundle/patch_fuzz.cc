// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The patch parser over any bytes, and the applier over what it accepts.

#include <cstdint>

#include "cacheon/bundle/patch.h"
#include "cacheon/core/code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon;          // NOLINT(google-build-using-namespace)
  using namespace cacheon::bundle;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto patch = ParsePatch(text);
  if (!patch) {
    CACHEON_CHECK(FindCodePage(patch.error().code.text()) != nullptr, "a code without a page");
    CACHEON_CHECK(patch.error().where.line > 0, "an error without a place");
    return 0;
  }
  for (const PatchedFile& file : patch->files) {
    // The old side of the file is a text that its first hunk fits when that starts at line 1.
    std::string original;
    for (const std::string& line : file.hunks[0].lines) {
      if (line.empty() || line[0] != '+') original += line.substr(line.empty() ? 0 : 1) + '\n';
    }
    for (const bool exists : {true, false}) {
      const auto result =
          ApplyPatchedFile(file, exists ? std::optional<std::string_view>(original) : std::nullopt);
      if (!result) {
        CACHEON_CHECK(FindCodePage(result.error().code.text()) != nullptr, "no page");
      }
    }
  }
  return 0;
}
