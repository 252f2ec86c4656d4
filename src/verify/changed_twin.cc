// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/changed_twin.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace cacheon::verify {
namespace {

using slots::FloatSource;
using slots::PlannedTensor;

bool IsDynamic(const slots::Contract& contract, const std::string& name) {
  const auto argument = std::ranges::find(contract.arguments, name, &slots::Argument::name);
  return argument != contract.arguments.end() && argument->graph_dynamic;
}

FloatSource WithOneChange(FloatSource source, std::int64_t changed) {
  return [source = std::move(source), changed](std::int64_t first, std::span<float> out) {
    source(first, out);
    if (changed < first || changed - first >= std::ssize(out)) return;
    float& value = out[static_cast<std::size_t>(changed - first)];
    value = value == 0.0F ? 1.0F : -value;
  };
}

}  // namespace

std::optional<slots::CallPlan> ChangedTwin(const slots::CallPlan& plan,
                                           const slots::Contract& contract, Philox& random) {
  slots::CallPlan twin = plan;
  std::vector<PlannedTensor*> inputs;
  for (slots::PlannedArgument& argument : twin.arguments) {
    auto* tensor = std::get_if<PlannedTensor>(&argument);
    if (tensor == nullptr || !std::holds_alternative<FloatSource>(tensor->source)) continue;
    const bool empty = tensor::ElementCount(tensor->layout.shape).value_or(0) == 0;
    if (!empty && IsDynamic(contract, tensor->name)) inputs.push_back(tensor);
  }
  if (inputs.empty()) return std::nullopt;
  PlannedTensor& input =
      *inputs[static_cast<std::size_t>(random.NextInt(0, std::ssize(inputs) - 1))];
  const std::int64_t elements = *tensor::ElementCount(input.layout.shape);
  input.source = WithOneChange(std::get<FloatSource>(std::move(input.source)),
                               random.NextInt(0, elements - 1));
  twin.origin.value_profile += "+one_changed";
  return twin;
}

}  // namespace cacheon::verify
