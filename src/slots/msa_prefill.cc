// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// attention.msa_prefill_block_score: scores blocks of a paged cache of index keys for the first
// token of every query block, and chooses the best.

#include "src/slots/msa_prefill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cacheon/core/parallel.h"
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

constexpr double kLog2E = 1.4426950409;  // as the engine writes it
constexpr std::int32_t kUnused = -1;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Argument Floats(std::string_view name, std::vector<std::string_view> shape,
                std::string_view meaning) {
  return {.name = name,
          .role = Role::kInput,
          .shape = std::move(shape),
          .graph_dynamic = true,
          .meaning = meaning};
}

Argument Ints(std::string_view name, std::vector<std::string_view> shape,
              std::string_view meaning) {
  return {.name = name,
          .role = Role::kInput,
          .dtypes = {DType::kInt32},
          .shape = std::move(shape),
          .meaning = meaning};
}

// Prefix sums: 64 bits wide offline, whatever the engine has in live calls.
Argument Sums(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .role = Role::kInput,
          .dtypes = {DType::kInt64, DType::kInt32},
          .shape = {"B+1"},
          .meaning = meaning};
}

Argument Int(std::string_view name, std::string_view meaning) {
  return {.name = name, .role = Role::kScalar, .scalar = ScalarType::kInt64, .meaning = meaning};
}

std::vector<Argument> Arguments() {
  return {Floats("q", {"N", "Hq", "D"}, "the new tokens of all requests, one after the other"),
          Floats("index_k_cache", {"P", "1", "D"}, "index keys by physical row"),
          Ints("req_to_token", {"R", "L"}, "physical row of (request row, logical position)"),
          Ints("slot_ids", {"B"}, "row of req_to_token per request"),
          Sums("cu_seqlens", "where each request's tokens begin"),
          Ints("seq_lens", {"B"}, "cached positions and new tokens per request"),
          Ints("prefix_lens", {"B"}, "cached positions per request"),
          Int("max_seqlen_q", "the most new tokens of a request"),
          Int("max_seqlen_k", "the largest of seq_lens"),
          Int("block_size_q", "tokens per query block"),
          Int("block_size_k", "positions per block of keys"),
          Int("topk", "cells per row of the output"),
          Int("init_blocks", "first blocks that are always chosen"),
          Int("local_blocks", "last visible blocks that are always chosen"),
          {.name = "scale",
           .role = Role::kScalar,
           .scalar = ScalarType::kFloat64,
           .meaning = "multiplies every score; log2(e) is in it"},
          Sums("cu_seqblocks_q", "where each request's query blocks begin"),
          Int("max_seqblock_q", "the most query blocks of a request"),
          Int("all_seqblock_q", "query blocks of all requests"),
          {.name = "out_topk",
           .role = Role::kOutput,
           .dtypes = {DType::kInt32},
           .shape = {"Hq", "all_seqblock_q", "topk"},
           .meaning = "the chosen blocks in any order, then -1"}};
}

Contract MakeContract() {
  return {.id = "attention.msa_prefill_block_score",
          .kind = Kind::kBlock,
          .entry = "msa_prefill_block_score",
          .arguments = Arguments(),
          .semantics =
              "For query block i of request b only its first token counts; it sees visible = "
              "min(seq_lens[b], prefix_lens[b] + i*block_size_q + 1) positions. A block's score is "
              "scale times the largest <q, key> over its visible positions. The first init_blocks "
              "get +inf, then the last local_blocks FLT_MAX; the min(topk, blocks) highest are "
              "written, ties to the lower block.",
          .policy = {.metric = tensor::Metric::kTopKOverlapIndices, .min_overlap = 0.9},
          .acceptance = {.steps_16_bit = 2,
                         .steps_32_bit = 64,
                         .group_weight = 1,
                         .min_group_share = 0.9,
                         .derivation = "A chosen block counts as right when its score lies within "
                                       "the slack of the last right one: one rounding of the score "
                                       "and one of the scaled query; 2 epsilons of the row's size "
                                       "are allowed. Every row must reach the overlap by itself, "
                                       "with visible blocks only and none twice."},
          .kl_threshold = 0.03};
}

class PrefillSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override;
  std::vector<Case> OurCases() const override;
  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;
  Status CheckPlan(const CallPlan& plan) const override;
  Status CheckValues(const CallPlan& plan, std::span<const ConstTensorView> inputs) const override;
  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override;
};

std::vector<Case> PrefillSlot::PublishedCases() const {
  const auto sized = [](int q_len, int prefix_blocks, int dim, int block, int batch, int heads,
                        int top_k) {
    return PublishedCase({{"q_len", q_len},
                          {"prefix_blocks", prefix_blocks},
                          {"head_dim", dim},
                          {"block_size", block},
                          {"batch_size", batch},
                          {"num_q_heads", heads},
                          {"topk", top_k}});
  };
  std::vector<Case> cases = {sized(7, 5, 16, 4, 2, 3, 5), sized(3, 1, 8, 4, 3, 2, 6),
                             sized(17, 7, 32, 8, 2, 4, 6), sized(8, 20, 128, 128, 1, 1, 16)};
  cases[2].parameters.emplace("block_size_q", 4);
  cases[2].parameters.emplace("causal_probe", true);
  cases[3].parameters.emplace("ragged", false);
  return cases;
}

std::vector<Case> PrefillSlot::OurCases() const {
  struct Ours {
    int q_len, prefix_blocks, dim, block_k, block_q, batch, heads, top_k, init, local;
    bool probe;
  };
  std::vector<Case> cases;
  // Init and local blocks that overlap, fill topk, or are none; one block chosen; one token; no
  // prefix; query blocks that are smaller and larger than blocks of keys; probes of the mask.
  for (const Ours& one :
       {Ours{9, 12, 32, 8, 8, 2, 2, 4, 1, 2, false}, Ours{5, 9, 16, 4, 4, 3, 2, 6, 2, 2, false},
        Ours{6, 10, 16, 8, 8, 1, 2, 3, 3, 0, false}, Ours{4, 11, 24, 8, 8, 2, 3, 5, 0, 0, false},
        Ours{1, 6, 33, 4, 4, 2, 1, 1, 0, 0, false}, Ours{1, 0, 16, 4, 4, 1, 2, 3, 1, 1, false},
        Ours{33, 4, 16, 4, 2, 2, 2, 6, 1, 2, true}, Ours{40, 3, 16, 4, 16, 2, 2, 5, 0, 1, true},
        Ours{12, 40, 64, 16, 16, 2, 4, 16, 1, 2, false}}) {
    Case the_case = OurCase({{"q_len", one.q_len},
                             {"prefix_blocks", one.prefix_blocks},
                             {"head_dim", one.dim},
                             {"block_size", one.block_k},
                             {"block_size_q", one.block_q},
                             {"batch_size", one.batch},
                             {"num_q_heads", one.heads},
                             {"topk", one.top_k},
                             {"init_blocks", one.init},
                             {"local_blocks", one.local}});
    if (one.probe) the_case.parameters.emplace("causal_probe", true);
    cases.push_back(std::move(the_case));
  }
  return cases;
}

// A source with single elements overwritten, by row-major position.
FloatSource Plant(FloatSource base, std::map<std::int64_t, float> planted) {
  if (planted.empty()) return base;
  return MapValues(std::move(base),
                   [planted = std::move(planted)](std::int64_t position, float value) {
                     const auto found = planted.find(position);
                     return found == planted.end() ? value : found->second;
                   });
}

struct ScoreSources {
  FloatSource queries, keys;
};

ScoreSources MakeSources(const PrefillSizes& sizes, const PrefillTables& tables,
                         std::uint64_t seed) {
  constexpr float kProbeQuery = 1;
  constexpr float kProbeKey = 100;
  std::map<std::int64_t, float> queries;
  std::map<std::int64_t, float> keys;
  if (sizes.causal_probe) {
    const ProbePlants plants = MakeProbePlants(sizes, tables);
    for (const auto& plant : plants.queries) {
      for (std::int64_t h = 0; h < sizes.heads; ++h) {
        queries[(plant.row * sizes.heads + h) * sizes.head_dim + plant.feature] = kProbeQuery;
      }
    }
    for (const auto& plant : plants.keys) {
      keys[plant.row * sizes.head_dim + plant.feature] = kProbeKey;
    }
  }
  return {.queries = Plant(NormalSource({.seed = seed, .stream = 0}), std::move(queries)),
          .keys = Plant(NormalSource({.seed = seed, .stream = 1}), std::move(keys))};
}

void Describe(const PrefillSizes& sizes, const PrefillTables& tables, CallPlan& plan) {
  plan.descriptor.insert({{"head_dim", sizes.head_dim},
                          {"last_dim", sizes.head_dim},
                          {"block_size", sizes.block_k},
                          {"page_size", sizes.block_k},
                          {"q_block_size", sizes.block_q},
                          {"q_len", tables.max_seqlen_q},
                          {"kv_len", tables.max_seqlen_k},
                          {"top_k", sizes.top_k},
                          {"init_blocks", sizes.init_blocks},
                          {"local_blocks", sizes.local_blocks},
                          {"batch_size", sizes.batch},
                          {"num_q_heads", sizes.heads},
                          {"num_kv_heads", 1},
                          {"num_tokens", tables.total_tokens()},
                          {"phase", "prefill"},
                          {"layout", "paged"},
                          {"graph_mode", "eager"},
                          {"quant", "dense"},
                          {"model", "MiniMax-M3"}});
}

Status AddTables(const PrefillSizes& sizes, PrefillTables tables, CallBuilder& call) {
  const std::int64_t batch = sizes.batch;
  call.Add(IntScalar("max_seqlen_q", tables.max_seqlen_q));
  call.Add(IntScalar("max_seqlen_k", tables.max_seqlen_k));
  call.Add(IntScalar("block_size_q", sizes.block_q));
  call.Add(IntScalar("block_size_k", sizes.block_k));
  call.Add(IntScalar("topk", sizes.top_k));
  call.Add(IntScalar("init_blocks", sizes.init_blocks));
  call.Add(IntScalar("local_blocks", sizes.local_blocks));
  call.Add(IntScalar("max_seqblock_q", tables.max_seqblock_q));
  call.Add(IntScalar("all_seqblock_q", tables.total_blocks()));
  RETURN_IF_ERROR(call.AddDense("req_to_token", DType::kInt32,
                                {batch, sizes.pages() * sizes.block_k},
                                TableSource(std::move(tables.page_table))));
  RETURN_IF_ERROR(
      call.AddDense("slot_ids", DType::kInt32, {batch}, TableSource(std::move(tables.slot_ids))));
  RETURN_IF_ERROR(call.AddDense("cu_seqlens", DType::kInt64, {batch + 1},
                                TableSource(std::move(tables.cu_seqlens))));
  RETURN_IF_ERROR(
      call.AddDense("seq_lens", DType::kInt32, {batch}, TableSource(std::move(tables.seq_lens))));
  RETURN_IF_ERROR(call.AddDense("prefix_lens", DType::kInt32, {batch},
                                TableSource(std::move(tables.prefix_lens))));
  return call.AddDense("cu_seqblocks_q", DType::kInt64, {batch + 1},
                       TableSource(std::move(tables.cu_seqblocks_q)));
}

Result<CallPlan> PrefillSlot::Plan(const Case& the_case, DType call_dtype,
                                   std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(the_case, {"default"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const PrefillSizes sizes, ReadPrefillSizes(parameters));
  ASSIGN_OR_RETURN(
      const double scale,
      parameters.Float("scale", kLog2E / std::sqrt(static_cast<double>(sizes.head_dim))));
  RETURN_IF_ERROR(parameters.Finish());
  const PrefillTables tables = MakePrefillTables(sizes, seed);
  ScoreSources sources = MakeSources(sizes, tables, seed);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  RETURN_IF_ERROR(call.AddDense("q", call_dtype,
                                {tables.total_tokens(), sizes.heads, sizes.head_dim},
                                std::move(sources.queries)));
  RETURN_IF_ERROR(call.AddDense("index_k_cache", call_dtype,
                                {sizes.batch * sizes.pages() * sizes.block_k, 1, sizes.head_dim},
                                std::move(sources.keys)));
  call.Add(FloatScalar("scale", scale));
  RETURN_IF_ERROR(AddTables(sizes, tables, call));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  Describe(sizes, tables, plan);
  const std::int64_t most_blocks = (tables.max_seqlen_k + sizes.block_k - 1) / sizes.block_k;
  ASSIGN_OR_RETURN(
      PlannedTensor scores,
      DenseOutput("scores", DType::kFloat32, {sizes.heads, tables.total_blocks(), most_blocks}));
  plan.evidence.push_back(std::move(scores));
  return plan;
}

Status PrefillSlot::CheckPlan(const CallPlan& plan) const {
  for (const std::string_view name : {"block_size_q", "block_size_k", "topk"}) {
    if (IntOf(plan, name) < 1) {
      return Fail("slot.shape", fmt::format("`{}` is below 1", name),
                  {.key_path = std::string(name)});
    }
  }
  for (const std::string_view name : {"init_blocks", "local_blocks"}) {
    if (IntOf(plan, name) < 0) {
      return Fail("slot.shape", fmt::format("`{}` is below 0", name),
                  {.key_path = std::string(name)});
    }
  }
  return {};
}

std::int64_t ReadInt(const ConstTensorView& view, std::int64_t index) {
  return view.dtype == DType::kInt64 ? tensor::Elements<std::int64_t>(view)[index]
                                     : tensor::Elements<std::int32_t>(view)[index];
}

// One row of the output: the query and the positions that it sees.
struct QueryBlock {
  std::int64_t request, token, visible;
};

std::vector<QueryBlock> QueryBlocks(const CallPlan& plan, std::span<const ConstTensorView> inputs) {
  const std::int64_t block_q = IntOf(plan, "block_size_q");
  std::vector<QueryBlock> blocks;
  for (std::int64_t b = 0; b < inputs[3].shape()[0]; ++b) {
    const std::int64_t count = ReadInt(inputs[7], b + 1) - ReadInt(inputs[7], b);
    for (std::int64_t i = 0; i < count; ++i) {
      blocks.push_back(
          {.request = b,
           .token = ReadInt(inputs[4], b) + i * block_q,
           .visible = std::min(ReadInt(inputs[5], b), ReadInt(inputs[6], b) + i * block_q + 1)});
    }
  }
  return blocks;
}

Status CheckQueryBlock(const QueryBlock& block, std::span<const ConstTensorView> inputs) {
  const std::int64_t row = ReadInt(inputs[3], block.request);
  const std::int64_t width = inputs[2].shape()[1];
  if (row < 0 || row >= inputs[2].shape()[0]) {
    return Fail("slot.value", "no such row of the page table", {.key_path = "slot_ids"});
  }
  if (block.token < 0 || block.token >= inputs[0].shape()[0]) {
    return Fail("slot.value", "a query block begins beyond the tokens", {.key_path = "cu_seqlens"});
  }
  if (block.visible < 1 || block.visible > width) {
    return Fail("slot.value", "a length is beyond the page table", {.key_path = "seq_lens"});
  }
  for (std::int64_t k = 0; k < block.visible; ++k) {
    const std::int64_t physical = ReadInt(inputs[2], row * width + k);
    if (physical >= 0 && physical < inputs[1].shape()[0]) continue;
    return Fail("slot.value", fmt::format("row {} is not in the cache", physical),
                {.key_path = "req_to_token"});
  }
  return {};
}

Status PrefillSlot::CheckValues(const CallPlan& plan,
                                std::span<const ConstTensorView> inputs) const {
  const std::int64_t rows = IntOf(plan, "all_seqblock_q");
  const std::int64_t requests = inputs[3].shape()[0];
  for (std::int64_t b = 0; b <= requests; ++b) {
    const std::int64_t begin = ReadInt(inputs[7], b);
    const std::int64_t before = b == 0 ? 0 : ReadInt(inputs[7], b - 1);
    if (begin < before || begin > rows || (b == 0 && begin != 0) ||
        (b == requests && begin != rows)) {
      return Fail("slot.value", "the sums do not rise from 0 to all_seqblock_q",
                  {.key_path = "cu_seqblocks_q"});
    }
  }
  for (const QueryBlock& block : QueryBlocks(plan, inputs)) {
    RETURN_IF_ERROR(CheckQueryBlock(block, inputs));
  }
  return {};
}

// Scores every block of keys that a query block sees.
class BlockScorer {
 public:
  BlockScorer(const CallPlan& plan, std::span<const ConstTensorView> inputs)
      : inputs_(inputs),
        q_(inputs[0]),
        keys_(inputs[1]),
        block_(IntOf(plan, "block_size_k")),
        init_(IntOf(plan, "init_blocks")),
        local_(IntOf(plan, "local_blocks")),
        scale_(FloatOf(plan, "scale")) {}

  std::vector<float> Scores(const QueryBlock& row, std::int64_t head) const {
    const std::int64_t dim = inputs_[0].shape()[2];
    const std::int64_t table = ReadInt(inputs_[3], row.request) * inputs_[2].shape()[1];
    std::vector<double> query(static_cast<std::size_t>(dim));
    std::vector<double> key(static_cast<std::size_t>(dim));
    Widen(q_.Row(row.token * inputs_[0].shape()[1] + head, dim), dim, query.data());
    const std::int64_t count = (row.visible + block_ - 1) / block_;
    std::vector<float> scores(static_cast<std::size_t>(count));
    for (std::int64_t j = 0; j < count; ++j) {
      double best = -std::numeric_limits<double>::infinity();
      for (std::int64_t k = j * block_; k < std::min((j + 1) * block_, row.visible); ++k) {
        Widen(keys_.Row(ReadInt(inputs_[2], table + k), dim), dim, key.data());
        best = std::max(best, scale_ * Dot(query.data(), key.data(), dim));
      }
      scores[static_cast<std::size_t>(j)] = static_cast<float>(best);
    }
    Force(scores);
    return scores;
  }

 private:
  // Local blocks are written after the first ones and win where both apply.
  void Force(std::vector<float>& scores) const {
    const auto count = static_cast<std::int64_t>(scores.size());
    std::fill_n(scores.begin(), std::min(count, init_), kInfinity);
    const std::int64_t first_local = std::max<std::int64_t>(0, count - local_);
    std::fill(scores.begin() + first_local, scores.end(), std::numeric_limits<float>::max());
  }

  std::span<const ConstTensorView> inputs_;
  DenseFloats q_;
  DenseFloats keys_;
  std::int64_t block_, init_, local_;
  double scale_;
};

// The best blocks, score descending, ties to the lower block.
void Choose(std::span<const float> scores, std::span<std::int32_t> chosen) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t width = std::min(chosen.size(), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width), order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float score_a = scores[static_cast<std::size_t>(a)];
                      const float score_b = scores[static_cast<std::size_t>(b)];
                      return score_a != score_b ? score_a > score_b : a < b;
                    });
  std::ranges::fill(chosen, kUnused);
  std::copy_n(order.begin(), width, chosen.begin());
}

void PrefillSlot::Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                            std::span<const tensor::TensorView> outputs) const {
  const BlockScorer scorer(plan, inputs);
  const std::vector<QueryBlock> rows = QueryBlocks(plan, inputs);
  const auto row_count = static_cast<std::int64_t>(rows.size());
  const std::int64_t heads = inputs[0].shape()[1];
  const std::int64_t top_k = IntOf(plan, "topk");
  auto* out = tensor::Elements<std::int32_t>(outputs[0]);
  float* evidence = outputs.size() > 1 ? tensor::Elements<float>(outputs[1]) : nullptr;
  const std::int64_t most_blocks = evidence == nullptr ? 0 : outputs[1].shape()[2];
  ParallelFor(heads * row_count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::vector<float> scores =
          scorer.Scores(rows[static_cast<std::size_t>(item % row_count)], item / row_count);
      Choose(scores, {out + item * top_k, static_cast<std::size_t>(top_k)});
      if (evidence == nullptr) continue;
      float* target = evidence + item * most_blocks;
      std::fill_n(target, most_blocks, -kInfinity);
      std::ranges::copy(scores, target);
    }
  });
}

}  // namespace

const Slot& MsaPrefill() {
  static const PrefillSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
