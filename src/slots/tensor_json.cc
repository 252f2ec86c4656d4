// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/tensor_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kMaxJsonElements = std::int64_t{1} << 26;

std::unexpected<Error> FailForm(std::string_view place, std::string message) {
  return Fail("slot.tensor_form", std::move(message), {.key_path = std::string(place)});
}

std::optional<float> ReadFloat(const Json& json) {
  if (json.is_number()) return static_cast<float>(json.as_double());
  if (!json.is_string()) return std::nullopt;
  if (json.as_string() == "inf") return std::numeric_limits<float>::infinity();
  if (json.as_string() == "-inf") return -std::numeric_limits<float>::infinity();
  if (json.as_string() == "nan") return std::numeric_limits<float>::quiet_NaN();
  return std::nullopt;
}

Status ReadFloats(const Json::Array& data, std::string_view place, OwnedTensor& tensor) {
  std::vector<float> values;
  values.reserve(data.size());
  for (const Json& item : data) {
    const auto value = ReadFloat(item);
    if (!value) return FailForm(place, fmt::format("element {} is no number", values.size()));
    values.push_back(*value);
  }
  tensor::NarrowFromFloat(tensor.dtype, values, tensor.bytes.data());
  return {};
}

Status ReadIntegers(const Json::Array& data, std::string_view place, OwnedTensor& tensor) {
  const std::size_t item_size = tensor::ItemSize(tensor.dtype);
  const int unused_bits = 64 - 8 * static_cast<int>(item_size);
  std::byte* target = tensor.bytes.data();
  for (const Json& item : data) {
    if (!item.is_int64()) return FailForm(place, "an element is no integer");
    const std::int64_t value = item.as_int64();
    const bool fits = tensor.dtype == DType::kUInt8
                          ? value >= 0 && value <= 255
                          : ((value << unused_bits) >> unused_bits) == value;
    if (!fits) {
      return FailForm(place, fmt::format("{} does not fit {}", value, tensor::Name(tensor.dtype)));
    }
    std::memcpy(target, &value, item_size);
    target += item_size;
  }
  return {};
}

Result<std::vector<std::int64_t>> ReadShape(const Json* json, std::string_view place) {
  if (json == nullptr || !json->is_array()) return FailForm(place, "`shape` is no list");
  std::vector<std::int64_t> shape;
  for (const Json& extent : json->as_array()) {
    if (!extent.is_int64() || extent.as_int64() < 0) {
      return FailForm(place, "`shape` holds something that is no dimension");
    }
    shape.push_back(extent.as_int64());
  }
  return shape;
}

// The double that the shortest spelling of a float names.
Json ShortestFloat(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size() - 1, value).ptr;
  *end = '\0';
  return std::strtod(text.data(), nullptr);
}

Json::Array FloatData(const tensor::ConstTensorView& view, std::size_t count) {
  std::vector<float> values(count);
  tensor::ReadFloats(view, 0, values);
  Json::Array data;
  data.reserve(count);
  for (const float value : values) data.push_back(ShortestFloat(value));
  return data;
}

Json::Array IntegerData(const tensor::ConstTensorView& view, std::size_t count) {
  const std::size_t item_size = tensor::ItemSize(view.dtype);
  const int unused_bits = 64 - 8 * static_cast<int>(item_size);
  Json::Array data;
  data.reserve(count);
  tensor::ForEachRun(view.layout, [&](std::int64_t offset, std::int64_t length, std::int64_t) {
    for (std::int64_t i = offset; i < offset + length; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, view.data + i * static_cast<std::int64_t>(item_size), item_size);
      const bool sign = view.dtype == DType::kInt32 || view.dtype == DType::kInt64;
      const auto wide = static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
      data.emplace_back(sign ? wide : static_cast<std::int64_t>(bits));
    }
  });
  return data;
}

}  // namespace

Result<OwnedTensor> MakeTensor(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  OwnedTensor made{.name = std::move(name), .dtype = dtype};
  ASSIGN_OR_RETURN(const std::int64_t count, tensor::ElementCount(shape));
  ASSIGN_OR_RETURN(made.layout, tensor::DenseLayout(std::move(shape)));
  made.bytes.resize(static_cast<std::size_t>(count) * tensor::ItemSize(dtype));
  return made;
}

Result<OwnedTensor> ReadTensorJson(const Json& json, std::string_view place) {
  const Json* dtype = json.Find("dtype");
  const Json* data = json.Find("data");
  if (dtype == nullptr || !dtype->is_string() || data == nullptr || !data->is_array()) {
    return FailForm(place, "a tensor is an object with `dtype`, `shape` and a list `data`");
  }
  const auto parsed = tensor::ParseDType(dtype->as_string());
  if (!parsed) return FailForm(place, fmt::format("`{}` is no dtype", dtype->as_string()));
  ASSIGN_OR_RETURN(std::vector<std::int64_t> shape, ReadShape(json.Find("shape"), place));
  ASSIGN_OR_RETURN(const std::int64_t count, tensor::ElementCount(shape));
  const auto given = static_cast<std::int64_t>(data->as_array().size());
  if (count != given || count > kMaxJsonElements) {
    return FailForm(place, fmt::format("`data` has {} elements, the shape {}", given, count));
  }
  ASSIGN_OR_RETURN(OwnedTensor read, MakeTensor({}, *parsed, std::move(shape)));
  if (tensor::IsFloating(*parsed)) {
    RETURN_IF_ERROR(ReadFloats(data->as_array(), place, read));
  } else {
    RETURN_IF_ERROR(ReadIntegers(data->as_array(), place, read));
  }
  return read;
}

Json TensorJson(const tensor::ConstTensorView& view) {
  Json::Array shape;
  std::int64_t count = 1;
  for (const std::int64_t extent : view.shape()) {
    shape.emplace_back(extent);
    count *= extent;
  }
  Json::Array data = tensor::IsFloating(view.dtype)
                         ? FloatData(view, static_cast<std::size_t>(count))
                         : IntegerData(view, static_cast<std::size_t>(count));
  return Json::Object{{"dtype", Json(tensor::Name(view.dtype))},
                      {"shape", std::move(shape)},
                      {"data", std::move(data)}};
}

}  // namespace cacheon::slots
