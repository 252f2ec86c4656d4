// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "src/slots/msa_prefill.h"
#include "src/slots/paged_cache.h"

namespace cacheon::slots {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 24;

}  // namespace

std::int64_t PrefillSizes::tokens(std::int64_t b) const {
  return ragged ? std::max<std::int64_t>(1, q_len - b) : q_len;
}

std::int64_t PrefillSizes::prefix_of(std::int64_t b) const {
  return ragged ? std::max<std::int64_t>(0, prefix - b) : prefix;
}

Result<PrefillSizes> ReadPrefillSizes(ParameterReader& parameters) {
  PrefillSizes sizes{};
  ASSIGN_OR_RETURN(sizes.q_len, parameters.Int("q_len", 1));
  ASSIGN_OR_RETURN(const std::int64_t prefix_blocks, parameters.Int("prefix_blocks", 0));
  ASSIGN_OR_RETURN(sizes.head_dim, parameters.Int("head_dim", 1));
  ASSIGN_OR_RETURN(sizes.block_k, parameters.Int("block_size", 1));
  ASSIGN_OR_RETURN(sizes.batch, parameters.Int("batch_size", 1, 2));
  ASSIGN_OR_RETURN(sizes.heads, parameters.Int("num_q_heads", 1, 3));
  ASSIGN_OR_RETURN(sizes.top_k, parameters.Int("topk", 1, 8));
  ASSIGN_OR_RETURN(sizes.block_q, parameters.Int("block_size_q", 1, sizes.block_k));
  ASSIGN_OR_RETURN(sizes.init_blocks, parameters.Int("init_blocks", 0, 0));
  ASSIGN_OR_RETURN(sizes.local_blocks, parameters.Int("local_blocks", 0, 1));
  ASSIGN_OR_RETURN(sizes.ragged, parameters.Bool("ragged", true));
  ASSIGN_OR_RETURN(sizes.causal_probe, parameters.Bool("causal_probe", false));
  for (const std::int64_t count : {sizes.q_len, prefix_blocks, sizes.block_k, sizes.batch}) {
    if (count > kMaxCount) return FailParameter("q_len", "the batch would be too large");
  }
  ASSIGN_OR_RETURN(sizes.prefix,
                   parameters.Int("prefix_len_override", 0, prefix_blocks * sizes.block_k + 1));
  if (sizes.prefix > kMaxCount || sizes.batch * (sizes.prefix + sizes.q_len) > kMaxCount * 16) {
    return FailParameter("prefix_blocks", "the cache would be too large");
  }
  if (sizes.init_blocks > sizes.top_k || sizes.local_blocks > sizes.top_k - sizes.init_blocks) {
    return FailParameter("topk", "init_blocks + local_blocks is more than topk");
  }
  return sizes;
}

PrefillTables MakePrefillTables(const PrefillSizes& sizes, std::uint64_t seed) {
  Philox random(seed, 100);
  PrefillTables tables;
  tables.page_table = ShuffledPages(random, {.requests = sizes.batch,
                                             .pages = sizes.pages(),
                                             .page_size = sizes.block_k,
                                             .banks = sizes.batch});
  tables.cu_seqlens = {0};
  tables.cu_seqblocks_q = {0};
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    tables.slot_ids.push_back(sizes.batch - 1 - b);
    tables.cu_seqlens.push_back(tables.cu_seqlens.back() + sizes.tokens(b));
    tables.cu_seqblocks_q.push_back(tables.cu_seqblocks_q.back() + sizes.query_blocks(b));
    tables.seq_lens.push_back(sizes.length(b));
    tables.prefix_lens.push_back(sizes.prefix_of(b));
    tables.max_seqlen_q = std::max(tables.max_seqlen_q, sizes.tokens(b));
    tables.max_seqlen_k = std::max(tables.max_seqlen_k, sizes.length(b));
    tables.max_seqblock_q = std::max(tables.max_seqblock_q, sizes.query_blocks(b));
  }
  return tables;
}

ProbePlants MakeProbePlants(const PrefillSizes& sizes, const PrefillTables& tables) {
  ProbePlants plants;
  const std::int64_t width = sizes.pages() * sizes.block_k;
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    const auto request = static_cast<std::size_t>(b);
    for (std::int64_t qb = 0; qb < sizes.query_blocks(b); ++qb) {
      const std::int64_t feature = qb % sizes.head_dim;
      const std::int64_t first = qb * sizes.block_q;
      plants.queries.push_back({tables.cu_seqlens[request] + first, feature});
      const std::int64_t visible = sizes.prefix_of(b) + first + 1;
      const std::int64_t spike = (visible + sizes.block_k - 1) / sizes.block_k * sizes.block_k;
      if (spike >= sizes.length(b)) continue;
      const std::int64_t at = tables.slot_ids[request] * width + spike;
      plants.keys.push_back({tables.page_table[static_cast<std::size_t>(at)], feature});
    }
  }
  return plants;
}

}  // namespace cacheon::slots
