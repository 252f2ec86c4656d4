// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// attention.msa_block_score: the score of every block of keys for one query per request.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cacheon/core/parallel.h"
#include "cacheon/core/philox.h"
#include "src/slots/attention_group.h"
#include "src/slots/call_builder.h"
#include "src/slots/families.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr std::int64_t kGradedBlocks = 8;
constexpr std::int64_t kFewestBlocks = 12;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

Contract MakeContract() {
  return {.id = "attention.msa_block_score",
          .kind = Kind::kBlock,
          .entry = "msa_block_score",
          .arguments = {{.name = "q",
                         .role = Role::kInput,
                         .shape = {"B", "H", "D"},
                         .graph_dynamic = true,
                         .meaning = "one query per request and index head"},
                        {.name = "index_k",
                         .role = Role::kInput,
                         .shape = {"B", "S", "1", "D"},
                         .graph_dynamic = true,
                         .meaning = "index keys; S is a multiple of block_size"},
                        {.name = "seq_lens",
                         .role = Role::kInput,
                         .dtypes = {DType::kInt32},
                         .shape = {"B"},
                         .graph_dynamic = true,
                         .meaning = "visible positions per request"},
                        {.name = "block_size",
                         .role = Role::kScalar,
                         .scalar = ScalarType::kInt64,
                         .meaning = "positions per block"},
                        {.name = "out",
                         .role = Role::kOutput,
                         .shape = {"B", "S/block_size"},
                         .meaning = "the scores; -inf for a block without a visible position"}},
          .semantics =
              "out[b,n] = the largest <sum over h of q[b,h], index_k[b,s,0]> over the "
              "positions s of block n below seq_lens[b]. There is no scale.",
          .policy = {.metric = tensor::Metric::kTopKOverlapScores,
                     .min_overlap = 0.875,
                     .top_k = kGradedBlocks},
          .acceptance = {.steps_16_bit = 2,
                         .steps_32_bit = 64,
                         .group_weight = 1,
                         .min_group_share = 0.875,
                         .derivation = "A chosen block counts as right when its score lies within "
                                       "the slack of the last right one: the score rounded once "
                                       "and the summed query once, 1 epsilon of the row's size; 2 "
                                       "are allowed. Every row must reach the overlap by itself."},
          .kl_threshold = 0.03,
          .unavailable_in = {"MiniMax-M3"}};
}

class BlockScoreSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [batch, heads, dim, context] :
         {std::array{4, 4, 128, 1536}, {2, 4, 128, 2048}, {8, 8, 64, 1536}, {3, 4, 128, 4096}}) {
      cases.push_back(PublishedCase({{"batch", batch},
                                     {"num_heads", heads},
                                     {"head_dim", dim},
                                     {"ctx", context},
                                     {"block_size", 128}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override;
  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;
  Status CheckPlan(const CallPlan& plan) const override;
  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override;
};

std::vector<Case> BlockScoreSlot::OurCases() const {
  struct Ours {
    int batch, heads, dim, context, block;
    const char* profile;
  };
  std::vector<Case> cases;
  // One head, odd dimensions and blocks; lengths that end in the middle of a block; all scores
  // below zero, which zeroed tails would beat; keys beyond the length that would win.
  for (const Ours& one :
       {Ours{2, 1, 64, 512, 32, "default"}, Ours{3, 3, 40, 400, 16, "default"},
        Ours{2, 4, 33, 480, 24, "default"}, Ours{4, 2, 64, 640, 32, "negative_scores"},
        Ours{4, 2, 64, 640, 32, "future_spikes"}}) {
    cases.push_back(OurCase({{"batch", one.batch},
                             {"num_heads", one.heads},
                             {"head_dim", one.dim},
                             {"ctx", one.context},
                             {"block_size", one.block}},
                            "dense", one.profile));
  }
  return cases;
}

struct Sizes {
  std::int64_t batch, heads, dim, block, blocks;

  std::int64_t context() const { return blocks * block; }
};

Result<Sizes> ReadSizes(ParameterReader& parameters) {
  Sizes sizes{};
  ASSIGN_OR_RETURN(sizes.batch, parameters.Int("batch", 1));
  ASSIGN_OR_RETURN(sizes.heads, parameters.Int("num_heads", 1));
  ASSIGN_OR_RETURN(sizes.dim, parameters.Int("head_dim", 1));
  ASSIGN_OR_RETURN(const std::int64_t context, parameters.Int("ctx", 1));
  ASSIGN_OR_RETURN(sizes.block, parameters.Int("block_size", 1));
  constexpr std::int64_t kMaxContext = std::int64_t{1} << 30;
  if (context > kMaxContext || sizes.block > kMaxContext / kFewestBlocks ||
      sizes.batch > kMaxContext) {
    return FailParameter("ctx", "the context is too long");
  }
  sizes.blocks = std::max(kFewestBlocks, context / sizes.block);
  return sizes;
}

std::vector<std::int64_t> Lengths(const Sizes& sizes, std::uint64_t seed) {
  Philox random(seed, 100);
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    const std::int64_t drawn = random.NextInt(kGradedBlocks * sizes.block, sizes.context());
    lengths.push_back(b == 0 ? sizes.context() : drawn);
  }
  return lengths;
}

FloatSource KeysOf(const std::string& profile, const Sizes& sizes,
                   const std::vector<std::int64_t>& lengths, std::uint64_t seed) {
  FloatSource normal = NormalSource({.seed = seed, .stream = 1});
  const std::int64_t dim = sizes.dim;
  if (profile == "negative_scores") {  // against queries of positive numbers
    return MapValues(std::move(normal),
                     [](std::int64_t, float value) { return -std::abs(value) - 0.125F; });
  }
  if (profile == "future_spikes") {  // the first key after the end is the best by far
    return MapValues(std::move(normal),
                     [dim, lengths, context = sizes.context()](std::int64_t position, float value) {
                       constexpr float kSpike = 30;
                       const std::int64_t row = position / dim;
                       const auto b = static_cast<std::size_t>(row / context);
                       return row % context >= lengths[b] ? kSpike * std::abs(value) : value;
                     });
  }
  return normal;
}

FloatSource QueriesOf(const std::string& profile, std::uint64_t seed) {
  FloatSource normal = NormalSource({.seed = seed, .stream = 0});
  if (profile == "default") return normal;
  return MapValues(std::move(normal), [](std::int64_t, float value) { return std::abs(value); });
}

Result<CallPlan> BlockScoreSlot::Plan(const Case& the_case, DType call_dtype,
                                      std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(the_case, {"default", "negative_scores", "future_spikes"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(parameters));
  RETURN_IF_ERROR(parameters.Finish());
  std::vector<std::int64_t> lengths = Lengths(sizes, seed);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(call.AddDense("q", call_dtype, {sizes.batch, sizes.heads, sizes.dim},
                                QueriesOf(the_case.value_profile, seed)));
  RETURN_IF_ERROR(call.AddDense("index_k", call_dtype, {sizes.batch, sizes.context(), 1, sizes.dim},
                                KeysOf(the_case.value_profile, sizes, lengths, seed)));
  RETURN_IF_ERROR(
      call.AddDense("seq_lens", DType::kInt32, {sizes.batch}, TableSource(std::move(lengths))));
  call.Add(IntScalar("block_size", sizes.block));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  plan.descriptor["last_dim"] = Json(sizes.dim);
  return plan;
}

Status BlockScoreSlot::CheckPlan(const CallPlan& plan) const {
  if (IntOf(plan, "block_size") >= 1) return {};
  return Fail("slot.shape", "a block has at least one position", {.key_path = "block_size"});
}

void BlockScoreSlot::Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                               std::span<const tensor::TensorView> outputs) const {
  const DenseFloats q(inputs[0]);
  const DenseFloats keys(inputs[1]);
  const auto* lengths = tensor::Elements<std::int32_t>(inputs[2]);
  const std::int64_t heads = inputs[0].shape()[1];
  const std::int64_t dim = inputs[0].shape()[2];
  const std::int64_t context = inputs[1].shape()[1];
  const std::int64_t block = IntOf(plan, "block_size");
  const std::int64_t blocks = context / block;
  auto* out = tensor::Elements<float>(outputs[0]);
  ParallelFor(inputs[0].shape()[0] * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> query(static_cast<std::size_t>(dim));
    std::vector<double> key(static_cast<std::size_t>(dim));
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t b = item / blocks;
      const std::int64_t first = item % blocks * block;
      std::ranges::fill(query, 0.0);
      for (std::int64_t h = 0; h < heads; ++h) {
        const float* row = q.Row(b * heads + h, dim);
        for (std::int64_t i = 0; i < dim; ++i) query[static_cast<std::size_t>(i)] += row[i];
      }
      double best = kNothing;
      for (std::int64_t s = first; s < std::min<std::int64_t>(first + block, lengths[b]); ++s) {
        Widen(keys.Row(b * context + s, dim), dim, key.data());
        best = std::max(best, Dot(query.data(), key.data(), dim));
      }
      out[item] = static_cast<float>(best);
    }
  });
}

}  // namespace

const Slot& MsaBlockScore() {
  static const BlockScoreSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
