// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading the words of TMA tables, which plans and resolved descriptors share.

#include "cacheon/artifact/tma.h"

namespace cacheon::artifact {

struct TmaWords {
  const TmaElementType* element_type = nullptr;
  TmaInterleave interleave = TmaInterleave::kNone;
  TmaSwizzle swizzle = TmaSwizzle::kNone;
  TmaL2Promotion l2_promotion = TmaL2Promotion::kNone;
  TmaOobFill oob_fill = TmaOobFill::kNone;
};

// Codes tm.element, tm.interleave, tm.swizzle, tm.l2, tm.oob.
Result<TmaWords> ParseTmaWords(const Json& table, const KeyPath& path);

}  // namespace cacheon::artifact
