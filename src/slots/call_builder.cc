// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/call_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

std::unexpected<Error> FailArgument(std::string_view name, std::string message) {
  return Fail("slot.argument", std::move(message), {.key_path = std::string(name)});
}

Status CheckDType(const Argument& argument, tensor::DType dtype, tensor::DType call_dtype) {
  const bool right = argument.dtypes.empty()
                         ? dtype == call_dtype
                         : std::ranges::find(argument.dtypes, dtype) != argument.dtypes.end();
  if (right) return {};
  const tensor::DType wanted = argument.dtypes.empty() ? call_dtype : argument.dtypes.front();
  return Fail("slot.dtype",
              fmt::format("the tensor is {}, the contract wants {}", tensor::Name(dtype),
                          tensor::Name(wanted)),
              {.key_path = std::string(argument.name)});
}

const PlannedArgument* FindNamed(const std::vector<PlannedArgument>& arguments,
                                 std::string_view name) {
  for (const PlannedArgument& argument : arguments) {
    const auto* planned = std::get_if<PlannedTensor>(&argument);
    const auto* scalar = std::get_if<PlannedScalar>(&argument);
    if ((planned != nullptr && planned->name == name) ||
        (scalar != nullptr && scalar->name == name)) {
      return &argument;
    }
  }
  return nullptr;
}

const PlannedArgument& Named(const CallPlan& plan, std::string_view name) {
  const PlannedArgument* found = FindNamed(plan.arguments, name);
  if (found == nullptr) found = FindNamed(plan.prepare_arguments, name);
  CACHEON_CHECK(found != nullptr, "a slot reads arguments of its own contract only");
  return *found;
}

}  // namespace

CallBuilder::CallBuilder(const Contract& contract, const Case& the_case, tensor::DType call_dtype,
                         std::uint64_t seed)
    : contract_(contract), plan_{.origin = the_case, .seed = seed, .call_dtype = call_dtype} {}

void CallBuilder::Add(PlannedTensor input) {
  std::string name = input.name;
  given_.insert_or_assign(std::move(name), std::move(input));
}

void CallBuilder::Add(PlannedScalar scalar) {
  std::string name = scalar.name;
  given_.insert_or_assign(std::move(name), std::move(scalar));
}

Status CallBuilder::AddDense(std::string name, tensor::DType dtype, Shape shape, Source source) {
  ASSIGN_OR_RETURN(PlannedTensor input,
                   DenseInput(std::move(name), dtype, std::move(shape), std::move(source)));
  Add(std::move(input));
  return {};
}

Status CallBuilder::Bind(const Argument& argument, tensor::DType call_dtype) {
  if (argument.role != Role::kInput && argument.role != Role::kScalar) return {};
  const auto found = given_.find(argument.name);
  if (found == given_.end()) {
    return FailArgument(argument.name,
                        fmt::format("the call lacks the argument `{}`", argument.name));
  }
  const auto* planned = std::get_if<PlannedTensor>(&found->second);
  if ((planned != nullptr) != (argument.role == Role::kInput)) {
    return FailArgument(argument.name,
                        fmt::format("`{}` is a {} in the contract", argument.name,
                                    argument.role == Role::kInput ? "tensor" : "scalar"));
  }
  if (planned != nullptr) {
    RETURN_IF_ERROR(CheckDType(argument, planned->dtype, call_dtype));
    return symbols_.BindShape(argument.name, argument.shape, planned->layout.shape);
  }
  auto& scalar = std::get<PlannedScalar>(found->second);
  scalar.type = *argument.scalar;
  if (const auto* value = std::get_if<std::int64_t>(&scalar.value)) {
    symbols_.BindScalar(argument.name, *value);
  }
  return {};
}

Result<PlannedArgument> CallBuilder::Take(const Argument& argument, tensor::DType call_dtype) {
  switch (argument.role) {
    case Role::kInput:
    case Role::kScalar:
      return std::move(given_.extract(given_.find(argument.name)).mapped());
    case Role::kPrepared:
      return PlannedPrepared{};
    case Role::kGroup:
      return PlannedGroup{};
    case Role::kOutput:
      break;
  }
  ASSIGN_OR_RETURN(Shape shape, symbols_.Evaluate(argument.name, argument.shape));
  const tensor::DType dtype = argument.dtypes.empty() ? call_dtype : argument.dtypes.front();
  ASSIGN_OR_RETURN(PlannedTensor output,
                   DenseOutput(std::string(argument.name), dtype, std::move(shape)));
  return output;
}

Result<CallPlan> CallBuilder::Finish() {
  for (const auto* arguments : {&contract_.arguments, &contract_.prepare_arguments}) {
    for (const Argument& argument : *arguments) {
      RETURN_IF_ERROR(Bind(argument, plan_.call_dtype));
    }
  }
  RETURN_IF_ERROR(symbols_.Finish());
  for (const Argument& argument : contract_.prepare_arguments) {
    ASSIGN_OR_RETURN(PlannedArgument taken, Take(argument, plan_.call_dtype));
    plan_.prepare_arguments.push_back(std::move(taken));
  }
  for (const Argument& argument : contract_.arguments) {
    ASSIGN_OR_RETURN(PlannedArgument taken, Take(argument, plan_.call_dtype));
    plan_.arguments.push_back(std::move(taken));
  }
  if (!given_.empty()) {
    const std::string& name = given_.begin()->first;
    return FailArgument(name, fmt::format("the slot has no argument `{}`", name));
  }
  plan_.descriptor["dtype"] = Json(tensor::Name(plan_.call_dtype));
  return std::move(plan_);
}

const PlannedTensor& TensorOf(const CallPlan& plan, std::string_view name) {
  return std::get<PlannedTensor>(Named(plan, name));
}

std::int64_t IntOf(const CallPlan& plan, std::string_view name) {
  return std::get<std::int64_t>(std::get<PlannedScalar>(Named(plan, name)).value);
}

double FloatOf(const CallPlan& plan, std::string_view name) {
  return std::get<double>(std::get<PlannedScalar>(Named(plan, name)).value);
}

bool BoolOf(const CallPlan& plan, std::string_view name) {
  return std::get<bool>(std::get<PlannedScalar>(Named(plan, name)).value);
}

}  // namespace cacheon::slots
