// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// collective.all_reduce: the sum of one matrix per rank.

#include <utility>

#include "src/slots/call_builder.h"
#include "src/slots/collective_plan.h"
#include "src/slots/families.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr float kInputScale = 0.1F;

Contract MakeContract() {
  return {.id = "collective.all_reduce",
          .kind = Kind::kCollective,
          .entry = "all_reduce",
          .arguments = {{.name = "x",
                         .role = Role::kInput,
                         .shape = {"M", "H"},
                         .graph_dynamic = true,
                         .meaning = "this rank's term"},
                        {.name = "out",
                         .role = Role::kOutput,
                         .shape = {"M", "H"},
                         .meaning = "the sum, the same on every rank"},
                        GroupArgument()},
          .semantics = "out = the sum of x over the ranks of the group.",
          .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.99},
          .acceptance = SumAcceptance()};
}

class AllReduceSlot final : public Slot, public Collective {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }
  const Collective* collective() const override { return this; }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, hidden] : {std::pair{1, 4096}, {8, 4096}, {128, 7168}}) {
      cases.push_back(PublishedCase({{"num_tokens", tokens}, {"hidden", hidden}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override {
    std::vector<Case> cases;
    // No rows, one column, widths beside vectors, and terms whose digits show which ranks were
    // added.
    for (const auto& [tokens, hidden, profile] : {std::tuple{0, 64, "default"},
                                                  {1, 1, "default"},
                                                  {3, 33, "default"},
                                                  {7, 1000, "default"},
                                                  {5, 320, "rank_magnitudes"},
                                                  {16, 448, "row_scales"}}) {
      cases.push_back(OurCase({{"num_tokens", tokens}, {"hidden", hidden}}, "dense", profile));
    }
    return cases;
  }

  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;

  void Partial(const CallPlan& /*plan*/, std::span<const ConstTensorView> inputs,
               std::span<double> partial) const override {
    const DenseFloats x(inputs[0]);
    for (std::size_t i = 0; i < partial.size(); ++i) partial[i] = x.data()[i];
  }

  void Finish(const CallPlan& /*plan*/, std::span<const ConstTensorView> /*inputs*/,
              std::span<const double> sum,
              std::span<const tensor::TensorView> outputs) const override {
    auto* out = tensor::Elements<float>(outputs[0]);
    for (std::size_t i = 0; i < sum.size(); ++i) out[i] = static_cast<float>(sum[i]);
  }

  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    ReferenceOfOne(*this, plan, inputs, outputs);
  }
};

Result<CallPlan> AllReduceSlot::Plan(const Case& the_case, DType call_dtype,
                                     std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(the_case, {"default", "rank_magnitudes", "row_scales"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const std::int64_t tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(const std::int64_t hidden, parameters.Int("hidden", 1));
  ASSIGN_OR_RETURN(const RankOf rank, ReadRank(parameters));
  RETURN_IF_ERROR(parameters.Finish());
  FloatSource values = NormalSource({.seed = rank.own_seed(seed)}, kInputScale);
  if (the_case.value_profile == "row_scales") values = ScaleRows(std::move(values), hidden, 7);
  if (the_case.value_profile == "rank_magnitudes") {
    // 1, 4, 16, ...: a rank that is missing or counted twice is far off in every element.
    const auto base = static_cast<float>(std::uint64_t{1} << (2 * (rank.rank % 8)));
    values = MapValues(std::move(values), [base](std::int64_t position, float) {
      return base * static_cast<float>(1 + position % 3);
    });
  }
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(call.AddDense("x", call_dtype, {tokens, hidden}, std::move(values)));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  DescribeCollective(rank, plan);
  plan.descriptor.insert({{"num_tokens", tokens}, {"hidden_dim", hidden}, {"last_dim", hidden}});
  return plan;
}

}  // namespace

const Slot& AllReduce() {
  static const AllReduceSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
