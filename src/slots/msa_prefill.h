// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The structure of one ragged batch of attention.msa_prefill_block_score: what its parameters mean
// in numbers, and the tables that follow.

#include <cstdint>
#include <vector>

#include "cacheon/core/result.h"
#include "src/slots/parameters.h"

namespace cacheon::slots {

struct PrefillSizes {
  std::int64_t q_len, prefix, head_dim, block_k, block_q, batch, heads, top_k, init_blocks,
      local_blocks;
  bool ragged, causal_probe;

  // New tokens and cached positions of request b.
  std::int64_t tokens(std::int64_t b) const;
  std::int64_t prefix_of(std::int64_t b) const;
  std::int64_t length(std::int64_t b) const { return prefix_of(b) + tokens(b); }
  std::int64_t query_blocks(std::int64_t b) const { return (tokens(b) + block_q - 1) / block_q; }
  std::int64_t pages() const { return (length(0) + block_k - 1) / block_k; }
};

// Code: slot.parameter.
Result<PrefillSizes> ReadPrefillSizes(ParameterReader& parameters);

// The integer inputs and the scalars that follow from the sizes.
struct PrefillTables {
  std::vector<std::int64_t> page_table, slot_ids, cu_seqlens, seq_lens, prefix_lens, cu_seqblocks_q;
  std::int64_t max_seqlen_q = 0, max_seqlen_k = 0, max_seqblock_q = 0;

  std::int64_t total_tokens() const { return cu_seqlens.back(); }
  std::int64_t total_blocks() const { return cu_seqblocks_q.back(); }
};

PrefillTables MakePrefillTables(const PrefillSizes& sizes, std::uint64_t seed);

// Single elements that the causal probe overwrites: (row, feature) of q for every head, and of the
// cache. The cache row is the first key that the query block must not see.
struct ProbePlants {
  struct Plant {
    std::int64_t row, feature;
  };
  std::vector<Plant> queries, keys;
};

ProbePlants MakeProbePlants(const PrefillSizes& sizes, const PrefillTables& tables);

}  // namespace cacheon::slots
