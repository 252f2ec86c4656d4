// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads text as a verdict, as it is and with the digest set right, since anybody can do that.

#include "cacheon/verify/verdict_choices.h"

#include <cstddef>
#include <cstdint>

#include "cacheon/core/sha256.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)verify::ReadVerdicts(text);
  Result<Json> document = ReadJson(text);
  if (!document || !document->is_object()) return 0;
  document->as_object().erase("digest");
  (*document)["digest"] = Sha256Hex(DocumentJson(*document));
  (void)verify::ReadVerdicts(DocumentJson(*document));
  (void)verify::ChoicesOf(*document);
  return 0;
}
