// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// moe.fused_experts and moe.fused_experts_reduce, dense and with the weights of the MiniMax-M3
// profile.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "src/slots/call_builder.h"
#include "src/slots/collective_plan.h"
#include "src/slots/families.h"
#include "src/slots/moe_routing.h"
#include "src/slots/nvfp4_weights.h"
#include "src/slots/plan.h"
#include "src/slots/routed_experts.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr float kInputScale = 0.1F;
constexpr float kWeightScale = 0.05F;
constexpr std::size_t kDenseTensors = 2;   // of prepare
constexpr std::size_t kPackedTensors = 8;  // of prepare

struct Variant {
  bool reduce = false;
  bool packed = false;  // the MiniMax-M3 profile
};

std::vector<Argument> Arguments(const Variant& variant) {
  std::vector<Argument> arguments = {
      {.name = "x",
       .role = Role::kInput,
       .shape = {"M", "H"},
       .graph_dynamic = true,
       .meaning = "the tokens"},
      {.name = "topk_ids",
       .role = Role::kInput,
       .dtypes = {DType::kInt32},
       .shape = {"M", "K"},
       .graph_dynamic = true,
       .meaning = "experts of each token; an id may stand twice and then counts twice"},
      {.name = "topk_weights",
       .role = Role::kInput,
       .dtypes = {DType::kFloat32},
       .shape = {"M", "K"},
       .graph_dynamic = true,
       .meaning = "factors of the experts' outputs, as they are: no normalisation"},
      {.name = "prepared", .role = Role::kPrepared, .meaning = "what prepare returned"},
      {.name = "out", .role = Role::kOutput, .shape = {"M", "H"}, .meaning = "the weighted sum"}};
  if (variant.reduce) arguments.push_back(GroupArgument());
  return arguments;
}

std::vector<Argument> DensePrepareArguments() {
  return {{.name = "w13",
           .role = Role::kInput,
           .shape = {"E", "2*I", "H"},
           .meaning = "rows [0,I) of each expert are the gate, [I,2I) the factor"},
          {.name = "w2", .role = Role::kInput, .shape = {"E", "H", "I"}, .meaning = "back to H"}};
}

AcceptanceRule DenseAcceptance() {
  return {.steps_16_bit = 6,
          .steps_32_bit = 128,
          .group_weight = 1,
          .min_group_share = 0.97,
          .max_slacks = 4,
          .derivation =
              "Two products with an activation between, whose terms cancel, so that the row's root "
              "mean square is the scale. 16-bit: gate, factor, their product and each expert's "
              "output rounded once each are 2 epsilons; 6 are allowed. float32: sums of H and I "
              "terms in sequence err by some 20 epsilons; 128 are allowed."};
}

AcceptanceRule PackedAcceptance() {
  return {.unit = 0.5,
          .group_weight = 1,
          .min_group_share = 0.95,
          .max_slacks = 2.5,
          .max_group_l2 = 0.7,
          .derivation =
              "An honest kernel may quantise activations to blocks of E2M1, whose steps are a "
              "quarter of a number's size at worst: it reaches a cosine of 0.990 per row, a "
              "relative row error of 0.14 and a worst element at 0.7 of the row's root mean "
              "square. Allowed are 0.35 of the row and 1.25 root mean squares."};
}

Contract MakeContract(const Variant& variant) {
  Contract contract = {
      .id = variant.reduce ? "moe.fused_experts_reduce" : "moe.fused_experts",
      .kind = variant.reduce ? Kind::kCollective : Kind::kBlock,
      .entry = variant.reduce ? "fused_experts_reduce" : "fused_experts",
      .arguments = Arguments(variant),
      .prepare_arguments = variant.packed ? Nvfp4PrepareArguments() : DensePrepareArguments(),
      .semantics =
          variant.reduce
              ? "out[m] = the sum over ranks and over k of w[m,k] * w2[e] act(w13[e][:I] "
                "x[m], w13[e][I:] x[m]), e = topk_ids[m,k]."
              : "out[m] = the sum over k of w[m,k] * w2[e] act(w13[e][:I] x[m], w13[e][I:] "
                "x[m]), e = topk_ids[m,k].",
      .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.97},
      .acceptance = DenseAcceptance()};
  if (variant.packed) {
    contract.policy = {.metric = tensor::Metric::kCosine, .min_cosine = 0.985};
    contract.acceptance = PackedAcceptance();
    contract.model = "MiniMax-M3";
  }
  return contract;
}

class FusedExpertsSlot final : public Slot, public Collective {
 public:
  explicit FusedExpertsSlot(Variant variant)
      : variant_(variant), contract_(MakeContract(variant)) {}

  const Contract& contract() const override { return contract_; }
  const Collective* collective() const override { return variant_.reduce ? this : nullptr; }

  std::vector<Case> PublishedCases() const override;
  std::vector<Case> OurCases() const override;
  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;
  Status CheckPlan(const CallPlan& plan) const override;
  Status CheckValues(const CallPlan& plan, std::span<const ConstTensorView> inputs) const override;

  void Partial(const CallPlan& plan, std::span<const ConstTensorView> inputs,
               std::span<double> partial) const override;

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

 private:
  std::size_t prepare_tensors() const { return variant_.packed ? kPackedTensors : kDenseTensors; }
  Activation ActivationOf(const CallPlan& plan) const;
  Status AddWeights(const MoeSizes& sizes, const Case& the_case, const RankOf& rank,
                    std::uint64_t seed, DType call_dtype, CallBuilder& call) const;
  void Describe(const MoeSizes& sizes, const RankOf& rank, CallPlan& plan) const;

  Variant variant_;
  Contract contract_;
};

Case Sized(Case base, const std::array<int, 5>& sizes) {
  base.parameters.insert({{"num_tokens", sizes[0]},
                          {"num_experts", sizes[1]},
                          {"hidden", sizes[2]},
                          {"inter", sizes[3]},
                          {"top_k", sizes[4]}});
  return base;
}

std::vector<Case> FusedExpertsSlot::PublishedCases() const {
  std::vector<Case> cases;
  if (variant_.packed) {
    for (const int tokens : {1, 8, 32}) {
      cases.push_back(Sized(PublishedCase({}), {tokens, 129, 6144, 768, 5}));
    }
    return cases;
  }
  for (const auto& sizes : {std::array{4, 8, 256, 128, 2},
                            {16, 32, 512, 256, 4},
                            {8, 4, 384, 192, 1},
                            {33, 16, 320, 192, 4}}) {
    cases.push_back(Sized(PublishedCase({}), sizes));
  }
  if (variant_.reduce) cases.pop_back();
  return cases;
}

struct ProfiledSizes {
  std::array<int, 5> sizes;
  const char* profile;
};

std::vector<Case> FusedExpertsSlot::OurCases() const {
  // No token, one token, tiles that are not full, one expert with everything, experts without a
  // token, an expert twice in a row, K = 1, and values at which zeros are far off.
  const std::vector<ProfiledSizes> dense = {
      {{0, 4, 64, 32, 2}, "default"},       {{1, 4, 72, 40, 2}, "unit"},
      {{17, 6, 200, 72, 3}, "unit"},        {{40, 5, 96, 48, 2}, "one_expert"},
      {{12, 16, 96, 48, 4}, "few_experts"}, {{9, 5, 96, 48, 4}, "duplicates"},
      {{5, 3, 33, 17, 1}, "unit"}};
  const std::vector<ProfiledSizes> packed = {{{1, 5, 128, 64, 2}, "unit"},
                                             {{9, 9, 256, 128, 4}, "unit"},
                                             {{7, 9, 256, 192, 5}, "outer_scales"},
                                             {{6, 5, 192, 64, 3}, "clamp"}};
  std::vector<Case> cases;
  for (const ProfiledSizes& one : variant_.packed ? packed : dense) {
    cases.push_back(Sized(OurCase({}, "dense", one.profile), one.sizes));
    if (!variant_.packed) continue;
    cases.push_back(cases.back());
    cases.back().parameters.emplace("w13_layout", kInterleavedLayout);
  }
  return cases;
}

Status FusedExpertsSlot::AddWeights(const MoeSizes& sizes, const Case& the_case, const RankOf& rank,
                                    std::uint64_t seed, DType call_dtype, CallBuilder& call) const {
  const std::uint64_t own_seed = rank.own_seed(seed);
  if (variant_.packed) {
    return AddNvfp4Weights(sizes, own_seed, the_case.value_profile == "outer_scales", call);
  }
  const bool generic = the_case.value_profile == "default";
  const auto scale = [generic](std::int64_t terms) {
    return generic ? kWeightScale : 1.0F / std::sqrt(static_cast<float>(terms));
  };
  RETURN_IF_ERROR(
      call.AddDense("w13", call_dtype, {sizes.experts, 2 * sizes.intermediate, sizes.hidden},
                    NormalSource({.seed = own_seed, .stream = 3}, scale(sizes.hidden))));
  return call.AddDense("w2", call_dtype, {sizes.experts, sizes.hidden, sizes.intermediate},
                       NormalSource({.seed = own_seed, .stream = 4}, scale(sizes.intermediate)));
}

float TokenScale(const std::string& profile) {
  constexpr float kBeyondTheClamp = 12;
  if (profile == "default") return kInputScale;
  return profile == "clamp" ? kBeyondTheClamp : 1.0F;
}

Result<std::string> ReadLayout(const Case& the_case) {
  const auto found = the_case.parameters.find("w13_layout");
  if (found == the_case.parameters.end()) return std::string(kGateUpLayout);
  const Json& layout = found->second;
  if (layout == Json(kGateUpLayout) || layout == Json(kInterleavedLayout)) {
    return layout.as_string();
  }
  return FailParameter(
      "w13_layout", fmt::format("the layout is `{}` or `{}`", kGateUpLayout, kInterleavedLayout));
}

// What the tagged view holds beside its tensors.
Result<Json::Object> PrepareFields(const CallPlan& plan) {
  const auto& w13 = TensorOf(plan, "w13_weight").layout.shape;
  const auto& ids = TensorOf(plan, "topk_ids").layout.shape;
  ASSIGN_OR_RETURN(std::string layout, ReadLayout(plan.origin));
  const std::int64_t hidden = w13[2] * 2;
  const std::int64_t intermediate = w13[1] / 2;
  constexpr std::int64_t kDefaultTpSize = 4;
  const auto world = plan.origin.parameters.find("world_size");
  const Json tp_size = world == plan.origin.parameters.end() ? Json(kDefaultTpSize) : world->second;
  return Json::Object{
      {"intermediate_size_per_partition", intermediate},
      {"num_local_experts", w13[0]},
      {"num_experts", w13[0]},
      {"hidden_size", hidden},
      {"moe_tp_size", tp_size},
      {"moe_ep_size", 1},
      {"moe_ep_rank", 0},
      {"reduce_results", false},
      {"num_fused_shared_experts", 1},
      {"cacheon_group_size", 16},
      {"cacheon_w13_layout", std::move(layout)},
      {"moe_runner_config", Json::Object{{"is_gated", true},
                                         {"num_experts", w13[0]},
                                         {"top_k", ids[1]},
                                         {"hidden_size", hidden},
                                         {"intermediate_size_per_partition", intermediate},
                                         {"activation", "swigluoai"},
                                         {"num_fused_shared_experts", 1}}}};
}

Result<CallPlan> FusedExpertsSlot::Plan(const Case& the_case, DType call_dtype,
                                        std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  if (variant_.packed) {
    RETURN_IF_ERROR(RequireProfile(the_case, {"default", "unit", "clamp", "outer_scales"}));
  } else {
    RETURN_IF_ERROR(
        RequireProfile(the_case, {"default", "unit", "one_expert", "few_experts", "duplicates"}));
  }
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const MoeSizes sizes, ReadMoeSizes(parameters));
  RankOf rank;
  if (variant_.reduce) {
    ASSIGN_OR_RETURN(rank, ReadRank(parameters));
  }
  if (variant_.packed) parameters.Allow("w13_layout");
  RETURN_IF_ERROR(parameters.Finish());
  if (variant_.packed && sizes.top_k > sizes.experts) {
    return FailParameter("top_k", "there are not as many experts");
  }
  Routing routing = variant_.packed ? SharedExpertRouting(sizes, seed)
                                    : GenericRouting(sizes, the_case.value_profile, seed);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(
      call.AddDense("x", call_dtype, {sizes.tokens, sizes.hidden},
                    NormalSource({.seed = seed, .stream = 2}, TokenScale(the_case.value_profile))));
  RETURN_IF_ERROR(call.AddDense("topk_ids", DType::kInt32, {sizes.tokens, sizes.top_k},
                                TableSource(std::move(routing.ids))));
  RETURN_IF_ERROR(call.AddDense("topk_weights", DType::kFloat32, {sizes.tokens, sizes.top_k},
                                FloatTableSource(std::move(routing.weights))));
  RETURN_IF_ERROR(AddWeights(sizes, the_case, rank, seed, call_dtype, call));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  Describe(sizes, rank, plan);
  if (variant_.packed) {
    plan.prepare_tag = "nvfp4_layer";
    ASSIGN_OR_RETURN(plan.prepare_fields, PrepareFields(plan));
  }
  return plan;
}

void FusedExpertsSlot::Describe(const MoeSizes& sizes, const RankOf& rank, CallPlan& plan) const {
  if (variant_.reduce) {
    DescribeCollective(rank, plan);
    plan.descriptor["ep_size"] = 1;
  } else {
    plan.descriptor["layout"] = "routed_moe";
  }
  plan.descriptor["quant"] = variant_.packed ? "nvfp4" : "dense";
  plan.descriptor.insert({{"hidden_dim", sizes.hidden},
                          {"last_dim", sizes.hidden},
                          {"intermediate_dim", sizes.intermediate},
                          {"num_experts", sizes.experts},
                          {"num_tokens", sizes.tokens},
                          {"top_k", sizes.top_k}});
}

Activation FusedExpertsSlot::ActivationOf(const CallPlan& plan) const {
  const auto named = plan.origin.parameters.find("activation");
  if (named != plan.origin.parameters.end()) {
    const auto read = ReadActivation(named->second);
    CACHEON_CHECK(read.has_value(), "the plan has checked its activation");
    return *read;
  }
  if (!variant_.packed) return {};
  return {.kind = Activation::Kind::kSwigluOai, .alpha = 1.702, .limit = 7.0};
}

Status FusedExpertsSlot::CheckPlan(const CallPlan& plan) const {
  const auto named = plan.origin.parameters.find("activation");
  if (named != plan.origin.parameters.end()) RETURN_IF_ERROR(ReadActivation(named->second));
  if (!variant_.packed) return {};
  RETURN_IF_ERROR(ReadLayout(plan.origin));
  return CheckNvfp4(plan);
}

Status FusedExpertsSlot::CheckValues(const CallPlan& /*plan*/,
                                     std::span<const ConstTensorView> inputs) const {
  const std::int64_t experts = inputs[0].shape()[0];
  const ConstTensorView& ids = inputs[prepare_tensors() + 1];
  for (std::int64_t i = 0; i < ids.shape()[0] * ids.shape()[1]; ++i) {
    const std::int32_t id = tensor::Elements<std::int32_t>(ids)[i];
    if (id >= 0 && id < experts) continue;
    return Fail("slot.value", fmt::format("there is no expert {} of {}", id, experts),
                {.key_path = "topk_ids"});
  }
  return {};
}

void FusedExpertsSlot::Partial(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                               std::span<double> partial) const {
  std::unique_ptr<ExpertWeights> w13;
  std::unique_ptr<ExpertWeights> w2;
  if (variant_.packed) {
    Nvfp4Matrices matrices = MakeNvfp4Matrices(plan, inputs.first(kPackedTensors));
    w13 = PackedWeights(std::move(matrices.w13));
    w2 = PackedWeights(std::move(matrices.w2));
  } else {
    w13 = DenseWeights(inputs[0]);
    w2 = DenseWeights(inputs[1]);
  }
  const std::span<const ConstTensorView> call = inputs.subspan(prepare_tensors());
  SumRoutedExperts({.x = call[0],
                    .ids = call[1],
                    .weights = call[2],
                    .w13 = w13.get(),
                    .w2 = w2.get(),
                    .intermediate = inputs[0].shape()[1] / 2,
                    .experts = inputs[0].shape()[0],
                    .activation = ActivationOf(plan)},
                   partial);
}

}  // namespace

const Slot& FusedExperts(MoeModel model) {
  static const FusedExpertsSlot kDense({.reduce = false, .packed = false});
  static const FusedExpertsSlot kPacked({.reduce = false, .packed = true});
  return model == MoeModel::kMiniMaxM3 ? kPacked : kDense;
}

const Slot& FusedExpertsReduce(MoeModel model) {
  static const FusedExpertsSlot kDense({.reduce = true, .packed = false});
  static const FusedExpertsSlot kPacked({.reduce = true, .packed = true});
  return model == MoeModel::kMiniMaxM3 ? kPacked : kDense;
}

}  // namespace cacheon::slots
