// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensors of a case: {"dtype","shape","data"}, row-major, with "nan", "inf" and "-inf" as text. A
// malformed one reads as a tensor without elements, which then differs.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/tensor/view.h"

namespace cacheon::conformance {

// Numbers of a list; what is no number is NaN. The decimals of float32 data are the shortest ones,
// so rounding the double to float32 gives the number that was written.
std::vector<double> NumbersOf(const Json& list);
std::vector<float> FloatsOf(const Json& list);
std::vector<std::int64_t> IntegersOf(const Json& list);
std::vector<std::uint8_t> BytesOf(const Json& list);

// float32 or int32 elements, dense.
class CaseTensor {
 public:
  // The tensor object {"dtype","shape","data"} with floating data.
  static CaseTensor Floats(const Json& object);
  // A list of rows of ids.
  static CaseTensor Rows(const Json& rows);

  tensor::ConstTensorView view() const { return {bytes_.data(), dtype_, layout_}; }

 private:
  tensor::DType dtype_ = tensor::DType::kFloat32;
  tensor::Layout layout_;
  std::vector<std::byte> bytes_;
};

// The position of the first pair that is further apart than `tolerance * max(1, |expected|)`, or
// that differs in being NaN or in the sign of zero when `tolerance` is 0; -1 when there is none.
// Lists of different length differ at the end of the shorter one.
std::ptrdiff_t FirstDifference(std::span<const double> expected, std::span<const double> got,
                               double tolerance);

}  // namespace cacheon::conformance
