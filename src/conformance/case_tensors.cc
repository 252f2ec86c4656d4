// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/conformance/case_tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/conformance/case_fields.h"

namespace cacheon::conformance {
namespace {

double NumberOf(const Json& value) {
  if (value.is_number()) return value.as_double();
  if (value == Json("inf")) return std::numeric_limits<double>::infinity();
  if (value == Json("-inf")) return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

template <typename T, typename Convert>
std::vector<T> Collect(const Json& list, Convert convert) {
  std::vector<T> values;
  if (!list.is_array()) return values;
  values.reserve(list.as_array().size());
  for (const Json& item : list.as_array()) values.push_back(convert(item));
  return values;
}

// The dense layout of `shape`, or that of no elements when it does not hold `count` of them.
tensor::Layout LayoutFor(std::vector<std::int64_t> shape, std::size_t count) {
  const Result<std::int64_t> elements = tensor::ElementCount(shape);
  if (elements && static_cast<std::size_t>(*elements) == count) {
    if (Result<tensor::Layout> layout = tensor::DenseLayout(std::move(shape))) return *layout;
  }
  return {.shape = {0}, .strides = {1}};
}

}  // namespace

std::vector<double> NumbersOf(const Json& list) { return Collect<double>(list, NumberOf); }

std::vector<float> FloatsOf(const Json& list) {
  return Collect<float>(list, [](const Json& item) { return static_cast<float>(NumberOf(item)); });
}

std::vector<std::int64_t> IntegersOf(const Json& list) {
  return Collect<std::int64_t>(
      list, [](const Json& item) { return item.is_int64() ? item.as_int64() : 0; });
}

std::vector<std::uint8_t> BytesOf(const Json& list) {
  return Collect<std::uint8_t>(list, [](const Json& item) {
    return static_cast<std::uint8_t>(item.is_int64() ? item.as_int64() : 0);
  });
}

CaseTensor CaseTensor::Floats(const Json& object) {
  const std::vector<float> values = FloatsOf(FieldOf(object, "data"));
  CaseTensor result;
  result.layout_ = LayoutFor(IntegersOf(FieldOf(object, "shape")), values.size());
  result.bytes_.resize(values.size() * sizeof(float));
  tensor::NarrowFromFloat(result.dtype_, values, result.bytes_.data());
  return result;
}

CaseTensor CaseTensor::Rows(const Json& rows) {
  std::vector<std::int64_t> values;
  std::int64_t columns = 0;
  std::int64_t count = 0;
  if (rows.is_array()) {
    count = std::ssize(rows.as_array());
    for (const Json& row : rows.as_array()) {
      const std::vector<std::int64_t> ids = IntegersOf(row);
      columns = std::ssize(ids);
      values.insert(values.end(), ids.begin(), ids.end());
    }
  }
  CaseTensor result;
  result.dtype_ = tensor::DType::kInt32;
  result.layout_ = LayoutFor({count, columns}, values.size());
  result.bytes_.resize(values.size() * sizeof(std::int32_t));
  if (result.layout_.shape.size() == 2) {
    tensor::WriteIntegers({result.bytes_.data(), result.dtype_, result.layout_}, 0, values);
  }
  return result;
}

std::ptrdiff_t FirstDifference(std::span<const double> expected, std::span<const double> got,
                               double tolerance) {
  const std::size_t common = std::min(expected.size(), got.size());
  for (std::size_t i = 0; i < common; ++i) {
    const double e = expected[i];
    const double g = got[i];
    if (std::isnan(e) && std::isnan(g)) continue;
    const bool close =
        e == g || (std::isfinite(e) && std::fabs(e - g) <= tolerance * std::max(1.0, std::fabs(e)));
    const bool same_sign = tolerance > 0 || std::signbit(e) == std::signbit(g);
    if (!close || !same_sign) return static_cast<std::ptrdiff_t>(i);
  }
  return expected.size() == got.size() ? -1 : static_cast<std::ptrdiff_t>(common);
}

}  // namespace cacheon::conformance
