// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// activation.silu_and_mul with a case list of the test's own, and a contract that it may change.
// Its call descriptors name the number of rows too.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/slots/slot.h"

namespace cacheon::verify {

inline slots::Case SmallCase(std::int64_t tokens, std::int64_t d, std::string layout = "dense") {
  slots::Case one{.parameters = {{"num_tokens", Json(tokens)}, {"d", Json(d)}}};
  if (layout == "padded") {
    one.parameters["row_padding"] = Json(8);
    one.parameters["offset"] = Json(8);
  }
  one.layout = std::move(layout);
  return one;
}

class SmallSlot final : public slots::Slot {
  const slots::Slot& real_ = *slots::FindSlot("activation.silu_and_mul");

 public:
  SmallSlot() : contract_(real_.contract()) {}

  slots::Contract contract_;
  std::vector<slots::Case> published = {SmallCase(4, 8), SmallCase(3, 16, "padded")};
  std::vector<slots::Case> ours = {};

  const slots::Contract& contract() const override { return contract_; }
  std::vector<slots::Case> PublishedCases() const override { return published; }
  std::vector<slots::Case> OurCases() const override { return ours; }
  Result<slots::CallPlan> Plan(const slots::Case& the_case, tensor::DType call_dtype,
                               std::uint64_t seed) const override {
    ASSIGN_OR_RETURN(slots::CallPlan plan, real_.Plan(the_case, call_dtype, seed));
    plan.descriptor["num_tokens"] = plan.origin.parameters.at("num_tokens");
    return plan;
  }
  void Reference(const slots::CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    real_.Reference(plan, inputs, outputs);
  }
};

}  // namespace cacheon::verify
