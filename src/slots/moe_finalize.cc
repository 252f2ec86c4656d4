// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// collective.moe_finalize_ar_rmsnorm: gathers the experts' rows of each token, sums over ranks,
// adds the residual and normalises.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cacheon/core/parallel.h"
#include "src/slots/call_builder.h"
#include "src/slots/collective_plan.h"
#include "src/slots/families.h"
#include "src/slots/paged_cache.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr float kInputScale = 0.1F;
constexpr double kDefaultEps = 1e-6;

std::vector<Argument> Arguments() {
  return {
      {.name = "gemm_out",
       .role = Role::kInput,
       .shape = {"T_exp*K", "H"},
       .graph_dynamic = true,
       .meaning = "the experts' rows of this rank, in the experts' order"},
      {.name = "row_map",
       .role = Role::kInput,
       .dtypes = {DType::kInt32},
       .shape = {"T_exp*K"},
       .graph_dynamic = true,
       .meaning = "row of gemm_out for token t and slot k, at t + k*T_exp"},
      {.name = "scales",
       .role = Role::kInput,
       .dtypes = {DType::kFloat32},
       .shape = {"T_exp", "K"},
       .graph_dynamic = true,
       .meaning = "weight of token t's slot k"},
      {.name = "residual",
       .role = Role::kInput,
       .shape = {"T", "H"},
       .graph_dynamic = true,
       .meaning = "added once; T <= T_exp tokens are produced"},
      {.name = "weight", .role = Role::kInput, .shape = {"H"}, .meaning = "one factor per column"},
      {.name = "eps",
       .role = Role::kScalar,
       .scalar = ScalarType::kFloat64,
       .meaning = "added to the mean square"},
      {.name = "out_norm",
       .role = Role::kOutput,
       .shape = {"T", "H"},
       .meaning = "the norm of the unrounded sum"},
      {.name = "out_residual", .role = Role::kOutput, .shape = {"T", "H"}, .meaning = "the sum"},
      GroupArgument()};
}

Contract MakeContract() {
  return {.id = "collective.moe_finalize_ar_rmsnorm",
          .kind = Kind::kCollective,
          .entry = "moe_finalize_ar_rmsnorm",
          .arguments = Arguments(),
          .semantics =
              "p[t] = the sum over k of scales[t,k] * gemm_out[row_map[t + k*T_exp]] for "
              "t < T; r = the sum of p over the ranks, plus residual, unrounded; "
              "out_residual = r; out_norm = r * (mean(r^2) + eps)^-1/2 * weight.",
          .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.99},
          .acceptance = SumAcceptance()};
}

struct Sizes {
  std::int64_t tokens, padded_tokens, top_k, hidden;
};

Result<Sizes> ReadSizes(ParameterReader& parameters) {
  Sizes sizes{};
  ASSIGN_OR_RETURN(sizes.tokens, parameters.Int("num_tokens", 1));
  ASSIGN_OR_RETURN(const std::int64_t padded, parameters.Int("exp_tokens", 1));
  ASSIGN_OR_RETURN(sizes.top_k, parameters.Int("top_k", 1));
  ASSIGN_OR_RETURN(sizes.hidden, parameters.Int("hidden", 1));
  sizes.padded_tokens = std::max(padded, sizes.tokens);
  constexpr std::int64_t kMaxRows = std::int64_t{1} << 26;
  if (sizes.padded_tokens > kMaxRows || sizes.top_k > kMaxRows / sizes.padded_tokens) {
    return FailParameter("exp_tokens", "the map of rows would be too large");
  }
  return sizes;
}

class MoeFinalizeSlot final : public Slot, public Collective {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }
  const Collective* collective() const override { return this; }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, padded, hidden] :
         {std::array{8, 16, 4096}, {64, 64, 6144}, {224, 256, 6144}}) {
      cases.push_back(PublishedCase(
          {{"num_tokens", tokens}, {"exp_tokens", padded}, {"top_k", 5}, {"hidden", hidden}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, padded, top_k, hidden] :
         {std::array{1, 1, 1, 64}, {3, 5, 2, 33}, {1, 40, 8, 320}, {31, 32, 3, 448}}) {
      cases.push_back(OurCase({{"num_tokens", tokens},
                               {"exp_tokens", padded},
                               {"top_k", top_k},
                               {"hidden", hidden},
                               {"eps", 1e-3}}));
    }
    return cases;
  }

  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;

  Status CheckPlan(const CallPlan& plan) const override {
    const std::int64_t tokens = TensorOf(plan, "residual").layout.shape[0];
    if (tokens <= TensorOf(plan, "scales").layout.shape[0]) return {};
    return Fail("slot.shape", "the residual has more tokens than the experts had",
                {.key_path = "residual"});
  }

  Status CheckValues(const CallPlan& /*plan*/,
                     std::span<const ConstTensorView> inputs) const override {
    const auto* map = tensor::Elements<std::int32_t>(inputs[1]);
    for (std::int64_t i = 0; i < inputs[1].shape()[0]; ++i) {
      if (map[i] >= 0 && map[i] < inputs[0].shape()[0]) continue;
      return Fail("slot.value", fmt::format("gemm_out has no row {}", map[i]),
                  {.key_path = "row_map"});
    }
    return {};
  }

  void Partial(const CallPlan& plan, std::span<const ConstTensorView> inputs,
               std::span<double> partial) const override;

  void Finish(const CallPlan& plan, std::span<const ConstTensorView> inputs,
              std::span<const double> sum,
              std::span<const tensor::TensorView> outputs) const override {
    FinishResidualNorm(sum, inputs[3], inputs[4], FloatOf(plan, "eps"), outputs);
  }

  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    ReferenceOfOne(*this, plan, inputs, outputs);
  }
};

void MoeFinalizeSlot::Partial(const CallPlan& /*plan*/, std::span<const ConstTensorView> inputs,
                              std::span<double> partial) const {
  const RowReader rows(inputs[0]);
  const auto* map = tensor::Elements<std::int32_t>(inputs[1]);
  const auto* scales = tensor::Elements<float>(inputs[2]);
  const std::int64_t padded = inputs[2].shape()[0];
  const std::int64_t top_k = inputs[2].shape()[1];
  const std::int64_t hidden = rows.width();
  ParallelFor(inputs[3].shape()[0], 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch;
    for (std::int64_t t = begin; t < end; ++t) {
      const std::span<double> sum =
          partial.subspan(static_cast<std::size_t>(t * hidden), static_cast<std::size_t>(hidden));
      std::ranges::fill(sum, 0.0);
      for (std::int64_t k = 0; k < top_k; ++k) {
        const std::span<const float> row = rows.Read(map[t + k * padded], scratch);
        const double scale = scales[t * top_k + k];
        for (std::size_t i = 0; i < row.size(); ++i) sum[i] += scale * row[i];
      }
    }
  });
}

Result<CallPlan> MoeFinalizeSlot::Plan(const Case& the_case, DType call_dtype,
                                       std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(the_case, {"default"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(parameters));
  ASSIGN_OR_RETURN(const double eps, parameters.Float("eps", kDefaultEps));
  ASSIGN_OR_RETURN(const RankOf rank, ReadRank(parameters));
  RETURN_IF_ERROR(parameters.Finish());
  if (eps <= 0) return FailParameter("eps", "a row of zeros needs a positive eps");
  const std::int64_t rows = sizes.padded_tokens * sizes.top_k;
  Philox random(seed, 100);
  const float per_slot = 1.0F / static_cast<float>(sizes.top_k);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(
      call.AddDense("gemm_out", call_dtype, {rows, sizes.hidden},
                    NormalSource({.seed = rank.own_seed(seed), .stream = 0}, kInputScale)));
  RETURN_IF_ERROR(
      call.AddDense("row_map", DType::kInt32, {rows}, TableSource(Permutation(random, rows))));
  RETURN_IF_ERROR(
      call.AddDense("scales", DType::kFloat32, {sizes.padded_tokens, sizes.top_k},
                    UniformSource({.seed = seed, .stream = 2}, 0.1F * per_slot, per_slot)));
  RETURN_IF_ERROR(call.AddDense("residual", call_dtype, {sizes.tokens, sizes.hidden},
                                NormalSource({.seed = seed, .stream = 3}, kInputScale)));
  RETURN_IF_ERROR(call.AddDense("weight", call_dtype, {sizes.hidden},
                                UniformSource({.seed = seed, .stream = 4}, 0.75F, 0.5F)));
  call.Add(FloatScalar("eps", eps));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  DescribeCollective(rank, plan);
  plan.descriptor.insert({{"num_tokens", sizes.tokens},
                          {"exp_tokens", sizes.padded_tokens},
                          {"top_k", sizes.top_k},
                          {"hidden_dim", sizes.hidden},
                          {"last_dim", sizes.hidden},
                          {"ep_size", 1}});
  return plan;
}

}  // namespace

const Slot& MoeFinalize() {
  static const MoeFinalizeSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
