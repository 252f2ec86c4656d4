// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The reference over a case written in JSON.

#include <fmt/format.h>

#include <utility>

#include "cacheon/slots/tensor_json.h"
#include "src/slots/call_builder.h"
#include "src/slots/parameters.h"
#include "src/slots/plan.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

// One rank's call: the plan and the tensors that it reads, those of prepare first.
struct JsonCall {
  CallPlan plan;
  std::vector<OwnedTensor> tensors;

  std::vector<tensor::ConstTensorView> inputs() const {
    std::vector<tensor::ConstTensorView> views;
    for (const OwnedTensor& one : tensors) views.push_back(one.view());
    return views;
  }
};

struct Found {
  const Json* value = nullptr;
  std::string place;
};

// The innermost place where a case gives an argument.
Found Lookup(const Json& the_case, const Json* rank, std::size_t rank_index,
             std::string_view name) {
  if (rank != nullptr) {
    if (const Json* value = rank->Find(name)) {
      return {value, fmt::format("ranks[{}].{}", rank_index, name)};
    }
  }
  if (const Json* inputs = the_case.Find("inputs")) {
    if (const Json* value = inputs->Find(name)) return {value, fmt::format("inputs.{}", name)};
  }
  return {the_case.Find(name), std::string(name)};
}

Result<PlannedScalar> ReadScalar(const Argument& argument, const Found& found) {
  std::string name(argument.name);
  switch (*argument.scalar) {
    case ScalarType::kBool:
      if (found.value->is_bool()) return BoolScalar(std::move(name), found.value->as_bool());
      break;
    case ScalarType::kInt32:
    case ScalarType::kInt64:
      if (found.value->is_int64()) return IntScalar(std::move(name), found.value->as_int64());
      break;
    case ScalarType::kFloat64:
      if (found.value->is_number()) return FloatScalar(std::move(name), found.value->as_double());
      break;
  }
  return Fail("slot.tensor_form",
              fmt::format("`{}` is no {}", argument.name, ScalarTypeName(*argument.scalar)),
              {.key_path = found.place});
}

class JsonCallReader {
 public:
  JsonCallReader(const Slot& slot, const Json& json, const Case& the_case, DType dtype)
      : slot_(slot), json_(json), builder_(slot.contract(), the_case, dtype, 0) {}

  Result<JsonCall> Read(const Json* rank, std::size_t rank_index) {
    const Contract& contract = slot_.contract();
    for (const auto* arguments : {&contract.prepare_arguments, &contract.arguments}) {
      for (const Argument& argument : *arguments) {
        if (argument.role != Role::kInput && argument.role != Role::kScalar) continue;
        const Found found = Lookup(json_, rank, rank_index, argument.name);
        if (found.value != nullptr) RETURN_IF_ERROR(Add(argument, found));
      }
    }
    ASSIGN_OR_RETURN(call_.plan, builder_.Finish());
    RETURN_IF_ERROR(slot_.CheckPlan(call_.plan));
    RETURN_IF_ERROR(slot_.CheckValues(call_.plan, call_.inputs()));
    return std::move(call_);
  }

 private:
  Status Add(const Argument& argument, const Found& found) {
    if (argument.role == Role::kScalar) {
      ASSIGN_OR_RETURN(PlannedScalar scalar, ReadScalar(argument, found));
      builder_.Add(std::move(scalar));
      return {};
    }
    ASSIGN_OR_RETURN(OwnedTensor read, ReadTensorJson(*found.value, found.place));
    read.name = argument.name;
    builder_.Add(PlannedTensor{
        .name = read.name, .role = Role::kInput, .dtype = read.dtype, .layout = read.layout});
    call_.tensors.push_back(std::move(read));
    return {};
  }

  const Slot& slot_;
  const Json& json_;
  CallBuilder builder_;
  JsonCall call_;
};

Result<DType> CallDTypeOf(const Json& the_case) {
  const Json* name = the_case.Find("dtype");
  const auto dtype =
      name != nullptr && name->is_string() ? tensor::ParseDType(name->as_string()) : std::nullopt;
  if (!dtype) {
    return Fail("slot.tensor_form", "the case has no `dtype` of the call", {.key_path = "dtype"});
  }
  RETURN_IF_ERROR(RequireCallDType(*dtype));
  return *dtype;
}

Result<std::vector<JsonCall>> ReadCalls(const Slot& slot, const Json& json) {
  ASSIGN_OR_RETURN(const DType dtype, CallDTypeOf(json));
  Case the_case{.kind = CaseKind::kOurs};
  // What a model profile would fix, a case may name.
  if (const Json* activation = json.Find("activation")) {
    the_case.parameters.emplace("activation", *activation);
  }
  if (const Json* layout = json.Find("layout")) the_case.parameters.emplace("w13_layout", *layout);
  const Json* ranks = json.Find("ranks");
  std::vector<JsonCall> calls;
  if (slot.collective() == nullptr || ranks == nullptr) {
    ASSIGN_OR_RETURN(JsonCall call, JsonCallReader(slot, json, the_case, dtype).Read(nullptr, 0));
    calls.push_back(std::move(call));
    return calls;
  }
  if (!ranks->is_array() || ranks->as_array().empty()) {
    return Fail("slot.tensor_form", "`ranks` is no list of ranks", {.key_path = "ranks"});
  }
  for (const Json& rank : ranks->as_array()) {
    ASSIGN_OR_RETURN(JsonCall call,
                     JsonCallReader(slot, json, the_case, dtype).Read(&rank, calls.size()));
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<std::vector<OwnedTensor>> MakeOutputs(const CallPlan& plan) {
  std::vector<OwnedTensor> outputs;
  for (const PlannedArgument& argument : plan.arguments) {
    const auto* planned = std::get_if<PlannedTensor>(&argument);
    if (planned == nullptr || planned->role != Role::kOutput) continue;
    const DType dtype = tensor::IsFloating(planned->dtype) ? DType::kFloat32 : DType::kInt32;
    ASSIGN_OR_RETURN(OwnedTensor made, MakeTensor(planned->name, dtype, planned->layout.shape));
    outputs.push_back(std::move(made));
  }
  return outputs;
}

Result<std::vector<double>> SumOfPartials(const Collective& collective,
                                          const std::vector<JsonCall>& calls, std::size_t count) {
  std::vector<double> sum(count);
  std::vector<double> partial(count);
  for (const JsonCall& call : calls) {
    const auto shape = [](const JsonCall& one) {
      std::vector<tensor::Layout> layouts;
      for (const OwnedTensor& input : one.tensors) layouts.push_back(input.layout);
      return layouts;
    };
    if (shape(call) != shape(calls.front())) {
      return Fail("slot.shape", "the ranks' tensors differ in shape", {.key_path = "ranks"});
    }
    collective.Partial(call.plan, call.inputs(), partial);
    for (std::size_t i = 0; i < count; ++i) sum[i] += partial[i];
  }
  return sum;
}

}  // namespace

Result<std::vector<OwnedTensor>> RunReference(const Slot& slot, const Json& the_case) {
  ASSIGN_OR_RETURN(const std::vector<JsonCall> calls, ReadCalls(slot, the_case));
  const JsonCall& first = calls.front();
  ASSIGN_OR_RETURN(std::vector<OwnedTensor> outputs, MakeOutputs(first.plan));
  std::vector<tensor::TensorView> views;
  for (OwnedTensor& output : outputs) views.push_back(output.mutable_view());
  const Collective* collective = slot.collective();
  if (collective == nullptr) {
    slot.Reference(first.plan, first.inputs(), views);
    return outputs;
  }
  ASSIGN_OR_RETURN(const std::int64_t count, tensor::ElementCount(views.front().shape()));
  ASSIGN_OR_RETURN(const std::vector<double> sum,
                   SumOfPartials(*collective, calls, static_cast<std::size_t>(count)));
  collective->Finish(first.plan, first.inputs(), sum, views);
  return outputs;
}

Result<Json> RunReferenceJson(const Slot& slot, const Json& the_case) {
  ASSIGN_OR_RETURN(const std::vector<OwnedTensor> outputs, RunReference(slot, the_case));
  Json::Object object;
  for (const OwnedTensor& output : outputs) object[output.name] = TensorJson(output.view());
  return Json(std::move(object));
}

}  // namespace cacheon::slots
