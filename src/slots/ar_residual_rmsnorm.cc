// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// collective.ar_residual_rmsnorm: a sum over ranks, the residual, and the norm of both.

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
constexpr double kDefaultEps = 1e-6;

Contract MakeContract() {
  return {.id = "collective.ar_residual_rmsnorm",
          .kind = Kind::kCollective,
          .entry = "ar_residual_rmsnorm",
          .arguments = {{.name = "x",
                         .role = Role::kInput,
                         .shape = {"M", "H"},
                         .graph_dynamic = true,
                         .meaning = "this rank's term"},
                        {.name = "residual",
                         .role = Role::kInput,
                         .shape = {"M", "H"},
                         .graph_dynamic = true,
                         .meaning = "added once; the same on every rank"},
                        {.name = "weight",
                         .role = Role::kInput,
                         .shape = {"H"},
                         .meaning = "one factor per column; the same on every rank"},
                        {.name = "eps",
                         .role = Role::kScalar,
                         .scalar = ScalarType::kFloat64,
                         .meaning = "added to the mean square"},
                        {.name = "out_norm",
                         .role = Role::kOutput,
                         .shape = {"M", "H"},
                         .meaning = "the norm of the unrounded sum"},
                        {.name = "out_residual",
                         .role = Role::kOutput,
                         .shape = {"M", "H"},
                         .meaning = "the sum"},
                        GroupArgument()},
          .semantics =
              "r = the sum of x over the ranks, plus residual, unrounded; out_residual = r; "
              "out_norm = r * (mean(r^2) + eps)^-1/2 * weight.",
          .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.99},
          .acceptance = SumAcceptance()};
}

class ArResidualRmsNormSlot final : public Slot, public Collective {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }
  const Collective* collective() const override { return this; }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, hidden] :
         {std::pair{4, 4096}, {8, 6144}, {32, 6144}, {64, 6144}, {256, 6144}}) {
      cases.push_back(PublishedCase({{"num_tokens", tokens}, {"hidden", hidden}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, hidden, eps, profile] : {std::tuple{0, 64, 1e-6, "default"},
                                                       {1, 33, 1e-5, "default"},
                                                       {5, 320, 0.5, "default"},
                                                       {6, 448, 1e-5, "row_scales"},
                                                       {4, 256, 1e-3, "small"}}) {
      cases.push_back(
          OurCase({{"num_tokens", tokens}, {"hidden", hidden}, {"eps", eps}}, "dense", profile));
    }
    return cases;
  }

  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;

  void Partial(const CallPlan& /*plan*/, std::span<const ConstTensorView> inputs,
               std::span<double> partial) const override {
    const DenseFloats x(inputs[0]);
    for (std::size_t i = 0; i < partial.size(); ++i) partial[i] = x.data()[i];
  }

  void Finish(const CallPlan& plan, std::span<const ConstTensorView> inputs,
              std::span<const double> sum,
              std::span<const tensor::TensorView> outputs) const override {
    FinishResidualNorm(sum, inputs[1], inputs[2], FloatOf(plan, "eps"), outputs);
  }

  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    ReferenceOfOne(*this, plan, inputs, outputs);
  }
};

Result<CallPlan> ArResidualRmsNormSlot::Plan(const Case& the_case, DType call_dtype,
                                             std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(the_case, {"default", "row_scales", "small"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const std::int64_t tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(const std::int64_t hidden, parameters.Int("hidden", 1));
  ASSIGN_OR_RETURN(const double eps, parameters.Float("eps", kDefaultEps));
  ASSIGN_OR_RETURN(const RankOf rank, ReadRank(parameters));
  RETURN_IF_ERROR(parameters.Finish());
  if (eps <= 0) return FailParameter("eps", "a row of zeros needs a positive eps");
  // "small": mean squares below eps, which then decides.
  const float scale = the_case.value_profile == "small" ? kInputScale * kInputScale : kInputScale;
  FloatSource x = NormalSource({.seed = rank.own_seed(seed), .stream = 0}, scale);
  FloatSource residual = NormalSource({.seed = seed, .stream = 1}, scale);
  if (the_case.value_profile == "row_scales") {
    x = ScaleRows(std::move(x), hidden, 7);
    residual = ScaleRows(std::move(residual), hidden, 7);
  }
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(call.AddDense("x", call_dtype, {tokens, hidden}, std::move(x)));
  RETURN_IF_ERROR(call.AddDense("residual", call_dtype, {tokens, hidden}, std::move(residual)));
  RETURN_IF_ERROR(call.AddDense("weight", call_dtype, {hidden},
                                UniformSource({.seed = seed, .stream = 2}, 0.75F, 0.5F)));
  call.Add(FloatScalar("eps", eps));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  DescribeCollective(rank, plan);
  plan.descriptor.insert({{"num_tokens", tokens}, {"hidden_dim", hidden}, {"last_dim", hidden}});
  return plan;
}

}  // namespace

const Slot& ArResidualRmsNorm() {
  static const ArResidualRmsNormSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
