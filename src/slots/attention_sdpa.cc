// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// attention.sdpa: attention of one sequence, with grouped heads and an optional causal mask.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cacheon/core/parallel.h"
#include "src/slots/attention_contract.h"
#include "src/slots/attention_group.h"
#include "src/slots/call_builder.h"
#include "src/slots/families.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

Contract MakeContract() {
  return {.id = "attention.sdpa",
          .kind = Kind::kBlock,
          .entry = "attention",
          .arguments = {{.name = "q",
                         .role = Role::kInput,
                         .shape = {"T", "Hq", "D"},
                         .graph_dynamic = true,
                         .meaning = "the queries"},
                        {.name = "k",
                         .role = Role::kInput,
                         .shape = {"S", "Hkv", "D"},
                         .graph_dynamic = true,
                         .meaning = "the keys; Hq is a multiple of Hkv"},
                        {.name = "v",
                         .role = Role::kInput,
                         .shape = {"S", "Hkv", "D"},
                         .graph_dynamic = true,
                         .meaning = "the values"},
                        {.name = "out",
                         .role = Role::kOutput,
                         .shape = {"T", "Hq", "D"},
                         .meaning = "the attended values"},
                        {.name = "sm_scale",
                         .role = Role::kScalar,
                         .scalar = ScalarType::kFloat64,
                         .meaning = "multiplies every score"},
                        {.name = "causal",
                         .role = Role::kScalar,
                         .scalar = ScalarType::kBool,
                         .meaning = "mask key j of query t when j > t + (S - T); needs S >= T"}},
          .semantics =
              "Query head h reads head h / (Hq/Hkv) of k and v. out[t,h] = softmax over j of "
              "(sm_scale * <q[t,h], k[j]>), times v[j], in float32 or better.",
          .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.99},
          .acceptance = AttentionAcceptance(),
          .kl_threshold = 0.03};
}

struct Sizes {
  std::int64_t tokens, keys, q_heads, kv_heads, dim;
};

Result<Sizes> ReadSizes(ParameterReader& parameters) {
  Sizes sizes{};
  ASSIGN_OR_RETURN(sizes.tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(sizes.keys,
                   parameters.Int("num_keys", 1, std::max<std::int64_t>(sizes.tokens, 1)));
  ASSIGN_OR_RETURN(sizes.q_heads, parameters.Int("num_q_heads", 1));
  ASSIGN_OR_RETURN(sizes.kv_heads, parameters.Int("num_kv_heads", 1));
  ASSIGN_OR_RETURN(sizes.dim, parameters.Int("head_dim", 1));
  return sizes;
}

class SdpaSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, q_heads, kv_heads, dim] :
         {std::array{1, 8, 8, 64}, {16, 8, 2, 128}, {64, 16, 16, 128}, {128, 8, 1, 128}}) {
      cases.push_back(PublishedCase({{"num_tokens", tokens},
                                     {"num_q_heads", q_heads},
                                     {"num_kv_heads", kv_heads},
                                     {"head_dim", dim}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override;
  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;
  Status CheckPlan(const CallPlan& plan) const override;
  void Reference(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override;
};

std::vector<Case> SdpaSlot::OurCases() const {
  struct Ours {
    int tokens, keys, q_heads, kv_heads, dim;
    bool causal;
    double scale;  // 0: head_dim^-1/2
    const char* profile;
  };
  std::vector<Case> cases;
  // No query, more keys than queries with and without the mask, groups of 1 to 4, odd dimensions,
  // lengths beside tiles, scores that overflow without their maximum, values with a common offset.
  for (const Ours& one :
       {Ours{0, 4, 2, 1, 16, false, 0, "default"}, Ours{1, 70, 4, 2, 64, true, 0, "default"},
        Ours{3, 7, 4, 1, 8, true, 0, "default"}, Ours{5, 69, 6, 2, 40, true, 0, "default"},
        Ours{17, 33, 4, 4, 33, false, 0, "default"}, Ours{65, 65, 4, 2, 64, false, 0, "default"},
        Ours{31, 31, 3, 3, 80, true, 0.7, "default"}, Ours{9, 40, 4, 2, 32, false, 0.05, "default"},
        Ours{24, 48, 4, 2, 64, true, 1, "large_scores"},
        Ours{24, 48, 4, 2, 64, false, 1, "large_scores"},
        Ours{20, 50, 4, 2, 64, true, 0, "offset_values"},
        Ours{12, 36, 8, 2, 32, true, 0, "head_scales"}}) {
    Case the_case = OurCase({{"num_tokens", one.tokens},
                             {"num_keys", one.keys},
                             {"num_q_heads", one.q_heads},
                             {"num_kv_heads", one.kv_heads},
                             {"head_dim", one.dim},
                             {"causal", one.causal}},
                            "dense", one.profile);
    if (one.scale != 0) the_case.parameters.emplace("sm_scale", one.scale);
    cases.push_back(std::move(the_case));
  }
  return cases;
}

Result<CallPlan> SdpaSlot::Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(
      RequireProfile(the_case, {"default", "large_scores", "offset_values", "head_scales"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(parameters));
  ASSIGN_OR_RETURN(const bool causal, parameters.Bool("causal", true));
  ASSIGN_OR_RETURN(const double scale,
                   parameters.Float("sm_scale", 1 / std::sqrt(static_cast<double>(sizes.dim))));
  RETURN_IF_ERROR(parameters.Finish());

  const std::string& profile = the_case.value_profile;
  FloatSource queries = NormalSource({.seed = seed, .stream = 0});
  FloatSource keys = NormalSource({.seed = seed, .stream = 1});
  if (profile == "large_scores") {
    queries = LargeIntegerQueries(std::move(queries));
    keys = IntegerKeys(std::move(keys));
  }
  FloatSource values =
      NormalSource({.seed = seed, .stream = 2}, 1, profile == "offset_values" ? 4.0F : 0.0F);
  if (profile == "head_scales") values = ScaleRows(std::move(values), sizes.dim, sizes.kv_heads);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  const Shape key_shape = {sizes.keys, sizes.kv_heads, sizes.dim};
  RETURN_IF_ERROR(
      call.AddDense("q", call_dtype, {sizes.tokens, sizes.q_heads, sizes.dim}, std::move(queries)));
  RETURN_IF_ERROR(call.AddDense("k", call_dtype, key_shape, std::move(keys)));
  RETURN_IF_ERROR(call.AddDense("v", call_dtype, key_shape, std::move(values)));
  call.Add(FloatScalar("sm_scale", scale));
  call.Add(BoolScalar("causal", causal));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  plan.descriptor["last_dim"] = Json(sizes.dim);
  return plan;
}

Status SdpaSlot::CheckPlan(const CallPlan& plan) const {
  const auto& q = TensorOf(plan, "q").layout.shape;
  const auto& k = TensorOf(plan, "k").layout.shape;
  RETURN_IF_ERROR(CheckHeadGroups(q[1], k[1]));
  if (BoolOf(plan, "causal") && k[0] < q[0]) {
    return Fail("slot.shape",
                fmt::format("{} queries over {} keys leave the first queries without a key under "
                            "the causal mask",
                            q[0], k[0]),
                {.key_path = "k"});
  }
  return {};
}

void SdpaSlot::Reference(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                         std::span<const tensor::TensorView> outputs) const {
  const DenseFloats q(inputs[0]);
  const DenseFloats k(inputs[1]);
  const DenseFloats v(inputs[2]);
  const std::int64_t tokens = inputs[0].shape()[0];
  const std::int64_t q_heads = inputs[0].shape()[1];
  const std::int64_t dim = inputs[0].shape()[2];
  const std::int64_t keys = inputs[1].shape()[0];
  const std::int64_t kv_heads = inputs[1].shape()[1];
  const std::int64_t group_size = q_heads / kv_heads;
  const bool causal = BoolOf(plan, "causal");
  const double scale = FloatOf(plan, "sm_scale");
  auto* out = tensor::Elements<float>(outputs[0]);

  ParallelFor(tokens * kv_heads, 1, [&](std::int64_t begin, std::int64_t end) {
    AttentionScratch scratch;
    std::vector<const float*> queries, key_rows, value_rows;
    std::vector<float*> results;
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t t = item / kv_heads;
      const std::int64_t head = item % kv_heads;
      const std::int64_t visible = causal ? t + (keys - tokens) + 1 : keys;
      key_rows.clear();
      value_rows.clear();
      queries.clear();
      results.clear();
      for (std::int64_t j = 0; j < visible; ++j) {
        key_rows.push_back(k.Row(j * kv_heads + head, dim));
        value_rows.push_back(v.Row(j * kv_heads + head, dim));
      }
      for (std::int64_t h = head * group_size; h < (head + 1) * group_size; ++h) {
        queries.push_back(q.Row(t * q_heads + h, dim));
        results.push_back(out + (t * q_heads + h) * dim);
      }
      Attend({.queries = queries,
              .keys = key_rows,
              .values = value_rows,
              .head_dim = dim,
              .value_dim = dim,
              .scale = scale},
             scratch, results);
    }
  });
}

}  // namespace

const Slot& Sdpa() {
  static const SdpaSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
