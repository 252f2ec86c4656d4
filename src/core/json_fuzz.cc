// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: the reader returns a value or a placed error. A value that is read and written reads
// back as itself, and its canonical bytes are their own canonical bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cacheon::Result<cacheon::Json> value = cacheon::ReadJson(text);
  if (!value) {
    CACHEON_CHECK(value.error().where.line > 0, "an error of the reader has no line");
    return 0;
  }
  const cacheon::Result<cacheon::Json> again = cacheon::ReadJson(cacheon::DocumentJson(*value));
  CACHEON_CHECK(again && *again == *value, "a document does not read back as itself");
  if (const auto canonical = cacheon::CanonicalJson(*value)) {
    const auto twice = cacheon::CanonicalJson(cacheon::ReadJson(*canonical).value());
    CACHEON_CHECK(twice && *twice == *canonical, "canonical bytes are not stable");
  }
  return 0;
}
