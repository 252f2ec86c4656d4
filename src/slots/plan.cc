// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

constexpr std::int64_t kDefaultPadding = 8;
constexpr std::int64_t kDefaultOffset = 8;

Result<PlannedTensor> DenseTensor(std::string name, Role role, tensor::DType dtype, Shape shape,
                                  Source source) {
  ASSIGN_OR_RETURN(tensor::Layout layout, tensor::DenseLayout(std::move(shape)));
  return PlannedTensor{.name = std::move(name),
                       .role = role,
                       .dtype = dtype,
                       .layout = std::move(layout),
                       .source = std::move(source)};
}

}  // namespace

Case PublishedCase(std::initializer_list<std::pair<const std::string, Json>> parameters) {
  return {.kind = CaseKind::kPublished, .parameters = parameters};
}

Case OurCase(std::initializer_list<std::pair<const std::string, Json>> parameters,
             std::string layout, std::string value_profile) {
  return {.kind = CaseKind::kOurs,
          .parameters = parameters,
          .layout = std::move(layout),
          .value_profile = std::move(value_profile)};
}

Result<PlannedTensor> DenseInput(std::string name, tensor::DType dtype, Shape shape,
                                 Source source) {
  return DenseTensor(std::move(name), Role::kInput, dtype, std::move(shape), std::move(source));
}

Result<PlannedTensor> DenseOutput(std::string name, tensor::DType dtype, Shape shape) {
  return DenseTensor(std::move(name), Role::kOutput, dtype, std::move(shape), {});
}

Result<PlannedTensor> RowsInput(const Case& the_case, ParameterReader& parameters, std::string name,
                                tensor::DType dtype, Shape shape, Source source) {
  if (the_case.layout != "padded") {
    return DenseInput(std::move(name), dtype, std::move(shape), std::move(source));
  }
  ASSIGN_OR_RETURN(const std::int64_t padding, parameters.Int("row_padding", 1, kDefaultPadding));
  ASSIGN_OR_RETURN(const std::int64_t offset, parameters.Int("offset", 0, kDefaultOffset));
  ASSIGN_OR_RETURN(tensor::Layout layout, tensor::PaddedLayout(std::move(shape), padding));
  RETURN_IF_ERROR(tensor::SpanElements(layout));
  return PlannedTensor{.name = std::move(name),
                       .role = Role::kInput,
                       .dtype = dtype,
                       .layout = std::move(layout),
                       .offset_elements = offset,
                       .source = std::move(source)};
}

PlannedScalar FloatScalar(std::string name, double value) {
  return {.name = std::move(name), .type = ScalarType::kFloat64, .value = value};
}

PlannedScalar BoolScalar(std::string name, bool value) {
  return {.name = std::move(name), .type = ScalarType::kBool, .value = value};
}

PlannedScalar IntScalar(std::string name, std::int64_t value) {
  return {.name = std::move(name), .value = value};
}

}  // namespace cacheon::slots
