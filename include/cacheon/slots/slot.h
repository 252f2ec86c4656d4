// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A slot object: the contract, the cases, how a case becomes a call, and the reference. Slots are
// stateless and shared; every function may be called from several threads.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/case.h"
#include "cacheon/slots/contract.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// The two halves of a slot that sums over the ranks of a group: what one rank contributes, and what
// every rank makes of the sum.
class Collective {
 public:
  // How many numbers a rank contributes: the elements of the first output.
  virtual void Partial(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                       std::span<double> partial) const = 0;
  // Writes the outputs from the sum of all ranks' partials.
  virtual void Finish(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                      std::span<const double> sum,
                      std::span<const tensor::TensorView> outputs) const = 0;

 protected:
  ~Collective() = default;
};

class Slot {
 public:
  virtual ~Slot() = default;

  virtual const Contract& contract() const = 0;

  // The published default list, before jitter, in its order; and ours.
  virtual std::vector<Case> PublishedCases() const = 0;
  virtual std::vector<Case> OurCases() const = 0;

  // The concrete call of a case. Codes: slot.parameter (a parameter is missing or forbidden by the
  // contract), tensor.overflow. Allocates no tensor memory.
  virtual Result<CallPlan> Plan(const Case& the_case, tensor::DType call_dtype,
                                std::uint64_t seed) const = 0;

  // What the contract demands beyond dtypes and symbolic shapes, of the dimensions and scalars of a
  // plan: Hq % Hkv == 0, or S >= T under a causal mask. Code: slot.shape. Plan has checked it.
  virtual Status CheckPlan(const CallPlan& /*plan*/) const { return {}; }

  // The same for values of inputs that come from elsewhere: ids within range, sums that fit. What
  // passes is safe to give to Reference. Code: slot.value.
  virtual Status CheckValues(const CallPlan& /*plan*/,
                             std::span<const tensor::ConstTensorView> /*inputs*/) const {
    return {};
  }

  // Slots of kind kCollective; nullptr for others. Their Reference is that of a group of one.
  virtual const Collective* collective() const { return nullptr; }

  // Computes the outputs from the inputs. `inputs` are the plan's tensors with role kInput, in ABI
  // order, preceded by those of prepare; `outputs` are dense float32 (int32 for index outputs), in
  // ABI order, and after them, or not at all, the plan's evidence. Multi-threaded; bitwise the same
  // for any number of threads.
  virtual void Reference(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                         std::span<const tensor::TensorView> outputs) const = 0;
};

// All slots, in the catalogue's order.
std::span<const Slot* const> Catalogue();

// nullptr when there is no such slot.
const Slot* FindSlot(std::string_view id);

// The slot as a model specialises it: "MiniMax-M3" and "MiniMax-M3-NVFP4" do so for the two slots
// of fused experts. Any other key or slot gives the generic slot. The operator chooses the model.
const Slot* FindSlot(std::string_view id, std::string_view model);

// The published jitter of count parameters over a case list (one MT19937 stream over the list).
std::vector<Case> JitterCounts(std::vector<Case> cases, std::uint64_t seed);

}  // namespace cacheon::slots
