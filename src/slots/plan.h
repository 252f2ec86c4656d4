// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts that plans are put together from.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "src/slots/parameters.h"

namespace cacheon::slots {

// A single dimension beyond it is refused before anything is multiplied.
constexpr std::int64_t kMaxDimension = std::int64_t{1} << 40;

using Source = std::variant<std::monostate, FloatSource, IntSource>;
using Shape = std::vector<std::int64_t>;

// A case of the published list: dense, default values.
Case PublishedCase(std::initializer_list<std::pair<const std::string, Json>> parameters);
// One of ours.
Case OurCase(std::initializer_list<std::pair<const std::string, Json>> parameters,
             std::string layout = "dense", std::string value_profile = "default");

// Code: tensor.overflow.
Result<PlannedTensor> DenseInput(std::string name, tensor::DType dtype, Shape shape, Source source);
Result<PlannedTensor> DenseOutput(std::string name, tensor::DType dtype, Shape shape);

// An input whose rows may be padded. In the layout "padded" the case says how: `row_padding`
// elements between rows (default 8), `offset` elements before the first (default 8).
Result<PlannedTensor> RowsInput(const Case& the_case, ParameterReader& parameters, std::string name,
                                tensor::DType dtype, Shape shape, Source source);

// Scalars of a call; the contract decides how wide an integer is passed.
PlannedScalar FloatScalar(std::string name, double value);
PlannedScalar BoolScalar(std::string name, bool value);
PlannedScalar IntScalar(std::string name, std::int64_t value);

}  // namespace cacheon::slots
