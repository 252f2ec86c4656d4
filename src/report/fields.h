// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading members of a document that may lack them or hold something else there: a view of a
// malformed document has gaps and never fails.

#include <string>
#include <string_view>

#include "cacheon/core/json.h"

namespace cacheon::report {

// The string, or "" for null and everything else.
std::string Text(const Json& object, std::string_view key);

// The list, or an empty one.
const Json::Array& List(const Json& object, std::string_view key);

// The member, or null.
const Json& Member(const Json& object, std::string_view key);

// The number, "inf" and "nan" included, or 0.
double Number(const Json& object, std::string_view key);

// "file:line:column: key_path" of an error with the unknown parts left out; "" when nothing is
// known.
std::string PlaceOf(const Json& error);

// "slot" or "slot:variant" of a row; the default variant is left out.
std::string RowName(const Json& row);

// "d=96 dtype=float32 num_tokens=3 layout=padded values=saturation" of a case.
std::string CaseName(const Json& result);

// "max_abs=1.2e-07 max_rel=3.4e-06" and the score of a metric that has one, at worst over the
// outputs of a case.
std::string Measures(const Json& result);

// The isolation layers that were not active, separated by commas.
std::string MissingLayers(const Json& isolation);

}  // namespace cacheon::report
