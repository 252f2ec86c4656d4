// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// attention.decode: one query per request over chosen blocks of a paged cache.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cacheon/core/parallel.h"
#include "src/slots/attention_contract.h"
#include "src/slots/attention_group.h"
#include "src/slots/call_builder.h"
#include "src/slots/families.h"
#include "src/slots/paged_cache.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

constexpr std::int64_t kUnused = -1;

std::vector<Argument> Arguments() {
  const auto ints = [](std::string_view name, std::vector<std::string_view> shape,
                       std::string_view meaning) {
    return Argument{.name = name,
                    .role = Role::kInput,
                    .dtypes = {DType::kInt32},
                    .shape = std::move(shape),
                    .graph_dynamic = true,
                    .meaning = meaning};
  };
  const auto floats = [](std::string_view name, std::vector<std::string_view> shape,
                         std::string_view meaning) {
    return Argument{.name = name,
                    .role = Role::kInput,
                    .shape = std::move(shape),
                    .graph_dynamic = true,
                    .meaning = meaning};
  };
  return {floats("q", {"B", "Hq", "D"}, "one query per request and head"),
          floats("k_cache", {"P", "Hkv", "D"}, "keys by physical row"),
          floats("v_cache", {"P", "Hkv", "D"}, "values by physical row"),
          ints("req_to_token", {"R", "L"}, "physical row of (request row, logical position)"),
          ints("seq_lens", {"B"}, "visible positions per request"),
          ints("req_pool_indices", {"B"}, "row of req_to_token per request"),
          ints("topk_idx", {"Hkv", "B", "K"},
               "chosen blocks: unsorted; -1 anywhere is no block; a block counts once"),
          {.name = "out",
           .role = Role::kOutput,
           .shape = {"B", "Hq", "D"},
           .meaning = "the attended values; zeros where nothing was chosen"},
          {.name = "sm_scale",
           .role = Role::kScalar,
           .scalar = ScalarType::kFloat64,
           .meaning = "multiplies every score"},
          {.name = "block_size",
           .role = Role::kScalar,
           .scalar = ScalarType::kInt32,
           .meaning = "positions per block"}};
}

Contract MakeContract() {
  return {.id = "attention.decode",
          .kind = Kind::kBlock,
          .entry = "attention_decode",
          .arguments = Arguments(),
          .semantics =
              "For request b and head h of the cache: block i of topk_idx[h,b] gives the positions "
              "[i*block_size, min(seq_lens[b], (i+1)*block_size)), whose rows are "
              "req_to_token[req_pool_indices[b], position]. Query heads h*Hq/Hkv and on attend to "
              "them with softmax(sm_scale * q K^T) V.",
          .policy = {.metric = tensor::Metric::kMatchedRatio, .min_ratio = 0.99},
          .acceptance = AttentionAcceptance(),
          .kl_threshold = 0.03};
}

struct Sizes {
  std::int64_t batch, context, q_heads, kv_heads, dim, block, chosen;

  std::int64_t pages() const { return (context + block - 1) / block; }
  std::int64_t slots_per_request() const { return pages() * block; }
  std::int64_t requests() const { return batch + 2; }
  std::int64_t cache_rows() const { return 2 * slots_per_request(); }
};

Result<Sizes> ReadSizes(ParameterReader& parameters) {
  Sizes sizes{};
  ASSIGN_OR_RETURN(sizes.batch, parameters.Int("batch", 1));
  ASSIGN_OR_RETURN(sizes.context, parameters.Int("context", 1));
  ASSIGN_OR_RETURN(sizes.q_heads, parameters.Int("num_q_heads", 1));
  ASSIGN_OR_RETURN(sizes.kv_heads, parameters.Int("num_kv_heads", 1));
  ASSIGN_OR_RETURN(sizes.dim, parameters.Int("head_dim", 1));
  ASSIGN_OR_RETURN(sizes.block, parameters.Int("block_size", 1));
  ASSIGN_OR_RETURN(sizes.chosen, parameters.Int("top_k", 1));
  constexpr std::int64_t kMaxTable = std::int64_t{1} << 28;  // int32 entries of the page table
  if (sizes.block > kMaxTable || sizes.context > kMaxTable ||
      sizes.batch > kMaxTable / sizes.slots_per_request()) {
    return FailParameter("context", "the page table would be too large");
  }
  return sizes;
}

// The integer tensors of a call.
struct Structure {
  std::vector<std::int64_t> page_table, seq_lens, pool_indices, chosen;
};

// The lengths that tables and masks go wrong at, and random ones.
std::int64_t RaggedLength(Philox& random, const Sizes& sizes, std::int64_t request) {
  const std::array<std::int64_t, 4> edges = {1, sizes.block, sizes.block - 1, sizes.block + 1};
  if (request < static_cast<std::int64_t>(edges.size())) {
    return std::clamp<std::int64_t>(edges[static_cast<std::size_t>(request)], 1, sizes.context);
  }
  return random.NextInt(1, sizes.context);
}

// Duplicates, blocks past the end and unused cells anywhere; in the profile "empty_heads" every
// third row chooses nothing.
void SpoilChoice(Philox& random, const Sizes& sizes, bool may_be_empty, std::int64_t row,
                 std::vector<std::int64_t>& ids) {
  const auto count = static_cast<std::int64_t>(ids.size());
  if (may_be_empty && row % 3 == 1) {
    std::ranges::fill(ids, kUnused);
    return;
  }
  if (count >= 3) ids[static_cast<std::size_t>(count - 1)] = ids[0];
  if (count >= 4 && row % 2 == 0) ids[static_cast<std::size_t>(count - 2)] = sizes.pages() - 1;
  for (std::int64_t i = count - 1; i > 0; --i) {
    std::swap(ids[static_cast<std::size_t>(i)],
              ids[static_cast<std::size_t>(random.NextInt(0, i))]);
  }
}

Structure MakeStructure(const Sizes& sizes, const std::string& profile, std::uint64_t seed) {
  const bool published = profile == "default";
  Philox random(seed, 100);
  Structure made;
  made.page_table = ShuffledPages(
      random,
      {.requests = sizes.requests(), .pages = sizes.pages(), .page_size = sizes.block, .banks = 2});
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    const std::int64_t low =
        std::min(std::max(sizes.block + 1, sizes.context - sizes.block), sizes.context);
    made.seq_lens.push_back(published ? random.NextInt(low, sizes.context)
                                      : RaggedLength(random, sizes, b));
  }
  made.pool_indices = Sample(random, sizes.requests(), sizes.batch);
  for (std::int64_t row = 0; row < sizes.kv_heads * sizes.batch; ++row) {
    const std::int64_t length = made.seq_lens[static_cast<std::size_t>(row % sizes.batch)];
    const std::int64_t blocks = (length + sizes.block - 1) / sizes.block;
    std::vector<std::int64_t> ids = Sample(random, blocks, std::min(sizes.chosen, blocks));
    ids.resize(static_cast<std::size_t>(sizes.chosen), kUnused);
    if (!published) SpoilChoice(random, sizes, profile == "empty_heads", row, ids);
    made.chosen.insert(made.chosen.end(), ids.begin(), ids.end());
  }
  return made;
}

// The logical positions that a row of topk_idx chooses, in the order of its ids.
std::vector<std::int64_t> ChosenPositions(std::span<const std::int32_t> ids, std::int64_t length,
                                          std::int64_t block) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool seen = std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i),
                                ids[i]) != ids.begin() + static_cast<std::ptrdiff_t>(i);
    if (ids[i] < 0 || seen) continue;
    const std::int64_t first = ids[i] * block;
    for (std::int64_t p = first; p < std::min(length, first + block); ++p) positions.push_back(p);
  }
  return positions;
}

// Cache rows that a call reads; the others may hold anything.
std::vector<bool> RowsInUse(const Sizes& sizes, const Structure& structure) {
  std::vector<bool> used(static_cast<std::size_t>(sizes.cache_rows()), false);
  for (std::int64_t row = 0; row < sizes.kv_heads * sizes.batch; ++row) {
    const auto request = static_cast<std::size_t>(row % sizes.batch);
    const auto first = structure.chosen.begin() + row * sizes.chosen;
    const std::vector<std::int32_t> ids(first, first + sizes.chosen);
    for (const std::int64_t position :
         ChosenPositions(ids, structure.seq_lens[request], sizes.block)) {
      const std::int64_t at =
          structure.pool_indices[request] * sizes.slots_per_request() + position;
      used[static_cast<std::size_t>(structure.page_table[static_cast<std::size_t>(at)])] = true;
    }
  }
  return used;
}

// Rows that no request reads hold NaN: memory of a live cache that was never written.
FloatSource NanInUnusedRows(FloatSource base, std::vector<bool> used, std::int64_t row_width) {
  const auto shared = std::make_shared<const std::vector<bool>>(std::move(used));
  return MapValues(std::move(base), [shared, row_width](std::int64_t position, float value) {
    const bool in_use = (*shared)[static_cast<std::size_t>(position / row_width)];
    return in_use ? value : std::numeric_limits<float>::quiet_NaN();
  });
}

struct CacheSources {
  FloatSource queries, keys, values;
};

CacheSources MakeSources(const Sizes& sizes, const Structure& structure, const std::string& profile,
                         std::uint64_t seed) {
  CacheSources made{.queries = NormalSource({.seed = seed, .stream = 0}),
                    .keys = NormalSource({.seed = seed, .stream = 1}),
                    .values = NormalSource({.seed = seed, .stream = 2})};
  if (profile == "large_scores") {
    made.queries = LargeIntegerQueries(std::move(made.queries));
    made.keys = IntegerKeys(std::move(made.keys));
  }
  if (profile == "unwritten_nan") {
    const std::vector<bool> used = RowsInUse(sizes, structure);
    const std::int64_t row_width = sizes.kv_heads * sizes.dim;
    made.keys = NanInUnusedRows(std::move(made.keys), used, row_width);
    made.values = NanInUnusedRows(std::move(made.values), used, row_width);
  }
  return made;
}

class DecodeSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const int batch : {1, 32, 128}) {
      cases.push_back(PublishedCase({{"batch", batch},
                                     {"context", 9344},
                                     {"num_q_heads", 16},
                                     {"num_kv_heads", 1},
                                     {"head_dim", 128},
                                     {"block_size", 128},
                                     {"top_k", 16}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override;
  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;
  Status CheckPlan(const CallPlan& plan) const override;
  Status CheckValues(const CallPlan& plan, std::span<const ConstTensorView> inputs) const override;
  void Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override;
};

std::vector<Case> DecodeSlot::OurCases() const {
  struct Ours {
    int batch, context, q_heads, kv_heads, dim, block, chosen;
    const char* profile;
    double scale;  // 0: head_dim^-1/2
  };
  std::vector<Case> cases;
  for (const Ours& one :
       {Ours{2, 700, 8, 2, 64, 64, 4, "ragged", 0}, Ours{7, 300, 4, 2, 64, 32, 6, "ragged", 0},
        Ours{5, 20, 4, 4, 40, 16, 8, "ragged", 0}, Ours{6, 512, 8, 1, 128, 128, 16, "ragged", 0.3},
        Ours{5, 90, 6, 3, 16, 16, 1, "ragged", 0}, Ours{6, 160, 8, 2, 32, 16, 5, "empty_heads", 0},
        Ours{6, 256, 8, 2, 64, 32, 4, "unwritten_nan", 0},
        Ours{6, 256, 8, 2, 64, 32, 4, "large_scores", 1}}) {
    Case the_case = OurCase({{"batch", one.batch},
                             {"context", one.context},
                             {"num_q_heads", one.q_heads},
                             {"num_kv_heads", one.kv_heads},
                             {"head_dim", one.dim},
                             {"block_size", one.block},
                             {"top_k", one.chosen}},
                            "dense", one.profile);
    if (one.scale != 0) the_case.parameters.emplace("sm_scale", one.scale);
    cases.push_back(std::move(the_case));
  }
  return cases;
}

void Describe(const Sizes& sizes, CallPlan& plan) {
  plan.descriptor.insert({{"layout", "paged_nhd"},
                          {"model", "MiniMax-M3"},
                          {"phase", "decode"},
                          {"quant", "dense"},
                          {"batch_size", sizes.batch},
                          {"num_tokens", sizes.batch},
                          {"q_len", 1},
                          {"num_q_heads", sizes.q_heads},
                          {"num_kv_heads", sizes.kv_heads},
                          {"head_dim", sizes.dim},
                          {"last_dim", sizes.dim},
                          {"kv_len", sizes.slots_per_request()},
                          {"block_size", sizes.block},
                          {"page_size", sizes.block},
                          {"top_k", sizes.chosen}});
}

Result<CallPlan> DecodeSlot::Plan(const Case& the_case, DType call_dtype,
                                  std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense"}));
  RETURN_IF_ERROR(RequireProfile(
      the_case, {"default", "ragged", "empty_heads", "unwritten_nan", "large_scores"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(parameters));
  ASSIGN_OR_RETURN(const double scale,
                   parameters.Float("sm_scale", 1 / std::sqrt(static_cast<double>(sizes.dim))));
  RETURN_IF_ERROR(parameters.Finish());

  Structure structure = MakeStructure(sizes, the_case.value_profile, seed);
  CacheSources sources = MakeSources(sizes, structure, the_case.value_profile, seed);
  CallBuilder call(contract(), the_case, call_dtype, seed);
  const Shape cache_shape = {sizes.cache_rows(), sizes.kv_heads, sizes.dim};
  RETURN_IF_ERROR(call.AddDense("q", call_dtype, {sizes.batch, sizes.q_heads, sizes.dim},
                                std::move(sources.queries)));
  RETURN_IF_ERROR(call.AddDense("k_cache", call_dtype, cache_shape, std::move(sources.keys)));
  RETURN_IF_ERROR(call.AddDense("v_cache", call_dtype, cache_shape, std::move(sources.values)));
  RETURN_IF_ERROR(call.AddDense("req_to_token", DType::kInt32,
                                {sizes.requests(), sizes.slots_per_request()},
                                TableSource(std::move(structure.page_table))));
  RETURN_IF_ERROR(call.AddDense("seq_lens", DType::kInt32, {sizes.batch},
                                TableSource(std::move(structure.seq_lens))));
  RETURN_IF_ERROR(call.AddDense("req_pool_indices", DType::kInt32, {sizes.batch},
                                TableSource(std::move(structure.pool_indices))));
  RETURN_IF_ERROR(call.AddDense("topk_idx", DType::kInt32,
                                {sizes.kv_heads, sizes.batch, sizes.chosen},
                                TableSource(std::move(structure.chosen))));
  call.Add(FloatScalar("sm_scale", scale));
  call.Add(IntScalar("block_size", sizes.block));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  RETURN_IF_ERROR(CheckPlan(plan));
  Describe(sizes, plan);
  return plan;
}

Status DecodeSlot::CheckPlan(const CallPlan& plan) const {
  if (IntOf(plan, "block_size") < 1) {
    return Fail("slot.shape", "a block has at least one position", {.key_path = "block_size"});
  }
  return CheckHeadGroups(TensorOf(plan, "q").layout.shape[1],
                         TensorOf(plan, "k_cache").layout.shape[1]);
}

// The integer inputs of a call, by name.
struct Tables {
  explicit Tables(std::span<const ConstTensorView> inputs)
      : page_table(tensor::Elements<std::int32_t>(inputs[3])),
        seq_lens(tensor::Elements<std::int32_t>(inputs[4])),
        pool_indices(tensor::Elements<std::int32_t>(inputs[5])),
        chosen(tensor::Elements<std::int32_t>(inputs[6])),
        table_rows(inputs[3].shape()[0]),
        table_width(inputs[3].shape()[1]),
        batch(inputs[4].shape()[0]),
        width(inputs[6].shape()[2]) {}

  std::span<const std::int32_t> ChosenBlocks(std::int64_t head, std::int64_t request) const {
    return {chosen + (head * batch + request) * width, static_cast<std::size_t>(width)};
  }
  std::int64_t PhysicalRow(std::int64_t request, std::int64_t position) const {
    return page_table[pool_indices[request] * table_width + position];
  }

  const std::int32_t* page_table;
  const std::int32_t* seq_lens;
  const std::int32_t* pool_indices;
  const std::int32_t* chosen;
  std::int64_t table_rows, table_width, batch, width;
};

Status DecodeSlot::CheckValues(const CallPlan& plan,
                               std::span<const ConstTensorView> inputs) const {
  const Tables tables(inputs);
  const std::int64_t cache_rows = inputs[1].shape()[0];
  for (std::int64_t b = 0; b < tables.batch; ++b) {
    if (tables.seq_lens[b] < 0 || tables.seq_lens[b] > tables.table_width) {
      return Fail("slot.value", "a length is beyond the page table", {.key_path = "seq_lens"});
    }
    if (tables.pool_indices[b] < 0 || tables.pool_indices[b] >= tables.table_rows) {
      return Fail("slot.value", "no such row of the page table", {.key_path = "req_pool_indices"});
    }
    for (std::int64_t head = 0; head < inputs[6].shape()[0]; ++head) {
      for (const std::int64_t position : ChosenPositions(
               tables.ChosenBlocks(head, b), tables.seq_lens[b], IntOf(plan, "block_size"))) {
        const std::int64_t row = tables.PhysicalRow(b, position);
        if (row >= 0 && row < cache_rows) continue;
        return Fail("slot.value", fmt::format("row {} is not in the cache", row),
                    {.key_path = "req_to_token"});
      }
    }
  }
  return {};
}

void DecodeSlot::Reference(const CallPlan& plan, std::span<const ConstTensorView> inputs,
                           std::span<const tensor::TensorView> outputs) const {
  const DenseFloats q(inputs[0]);
  const DenseFloats k(inputs[1]);
  const DenseFloats v(inputs[2]);
  const Tables tables(inputs);
  const std::int64_t q_heads = inputs[0].shape()[1];
  const std::int64_t dim = inputs[0].shape()[2];
  const std::int64_t kv_heads = inputs[1].shape()[1];
  const std::int64_t group_size = q_heads / kv_heads;
  const std::int64_t block = IntOf(plan, "block_size");
  const double scale = FloatOf(plan, "sm_scale");
  auto* out = tensor::Elements<float>(outputs[0]);

  ParallelFor(tables.batch * kv_heads, 1, [&](std::int64_t begin, std::int64_t end) {
    AttentionScratch scratch;
    std::vector<const float*> queries, keys, values;
    std::vector<float*> results;
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t b = item / kv_heads;
      const std::int64_t head = item % kv_heads;
      for (auto* rows : {&queries, &keys, &values}) rows->clear();
      results.clear();
      for (const std::int64_t position :
           ChosenPositions(tables.ChosenBlocks(head, b), tables.seq_lens[b], block)) {
        const std::int64_t row = tables.PhysicalRow(b, position) * kv_heads + head;
        keys.push_back(k.Row(row, dim));
        values.push_back(v.Row(row, dim));
      }
      for (std::int64_t h = head * group_size; h < (head + 1) * group_size; ++h) {
        queries.push_back(q.Row(b * q_heads + h, dim));
        results.push_back(out + (b * q_heads + h) * dim);
      }
      Attend({.queries = queries,
              .keys = keys,
              .values = values,
              .head_dim = dim,
              .value_dim = dim,
              .scale = scale},
             scratch, results);
    }
  });
}

}  // namespace

const Slot& Decode() {
  static const DecodeSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
