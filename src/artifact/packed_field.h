// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fields of packed structs.

#include <vector>

#include "cacheon/artifact/parameter.h"

namespace cacheon::artifact {

// Reads one field. Codes `pk.*` and those of expressions.
Result<PackedField> ParsePackedField(const Json& row, const KeyPath& path);

// That the fields of a struct of `size` bytes lie inside it, do not overlap and hold no more
// literal bytes than admitted. Codes pk.literal_total, pk.exceeds, pk.overlap.
Status CheckPackedFields(const std::vector<PackedField>& fields, int size, const KeyPath& path);

Json PackedFieldToJson(const PackedField& field);

}  // namespace cacheon::artifact
