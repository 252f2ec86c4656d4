// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The registered call ABIs, as data. The order of resources is identity: never sort a table.

#include "cacheon/artifact/call_abi.h"

namespace cacheon::artifact {
namespace {

constexpr CallResource Input(std::string_view name) { return {.name = name}; }

constexpr CallResource Output(std::string_view name) {
  return {.name = name, .access = Access::kWrite};
}

constexpr CallResource Scalar(std::string_view name, ScalarType type,
                              std::string_view capability_field = {}) {
  return {.name = name,
          .kind = ResourceKind::kScalar,
          .scalar_type = type,
          .capability_field = capability_field};
}

constexpr CallResource FromGroup(std::string_view name, std::string_view capability_field,
                                 std::string_view projection) {
  return {.name = name,
          .kind = ResourceKind::kScalar,
          .scalar_type = ScalarType::kI32,
          .capability_field = capability_field,
          .provider_resource = "group.current",
          .provider_projection = projection};
}

constexpr std::string_view kGroupCapabilities[] = {kGroupNativeHandle, kGroupPeerPtrTable};

// Every slot ends with the stream; collectives have the group and what is derived from it before.
constexpr CallResource kStream{.name = "stream.current", .kind = ResourceKind::kStream};
constexpr CallResource kGroup{
    .name = "group.current", .kind = ResourceKind::kGroup, .capabilities = kGroupCapabilities};
constexpr CallResource kGroupRank = FromGroup("group.rank", "rank", "rank");
constexpr CallResource kGroupSize = FromGroup("group.size", "world_size", "size");

constexpr CallResource kActivationSiluAndMul[] = {
    Input("input.x"),
    Output("output.out"),
    kStream,
};
constexpr std::string_view kActivationSiluAndMulArgs[] = {"input.x", "output.out"};

constexpr CallResource kAttentionDecode[] = {
    Input("input.q"),
    Input("input.k_cache"),
    Input("input.v_cache"),
    Input("input.req_to_token"),
    Input("input.seq_lens"),
    Input("input.req_pool_indices"),
    Input("input.topk_idx"),
    Output("output.out"),
    Scalar("input.sm_scale", ScalarType::kF64, "sm_scale"),
    Scalar("input.block_size", ScalarType::kI32, "block_size"),
    kStream,
};
constexpr std::string_view kAttentionDecodeArgs[] = {
    "input.q",        "input.k_cache",          "input.v_cache",  "input.req_to_token",
    "input.seq_lens", "input.req_pool_indices", "input.topk_idx", "output.out",
    "input.sm_scale", "input.block_size"};

constexpr CallResource kAttentionMsaBlockScore[] = {
    Input("input.q"),
    Input("input.index_k"),
    Input("input.seq_lens"),
    Scalar("input.block_size", ScalarType::kI64, "block_size"),
    Output("output.block_scores"),
    kStream,
};
constexpr std::string_view kAttentionMsaBlockScoreArgs[] = {
    "input.q", "input.index_k", "input.seq_lens", "input.block_size", "output.block_scores"};

constexpr CallResource kAttentionMsaPrefillBlockScore[] = {
    Input("input.q"),
    Input("input.index_k_cache"),
    Input("input.req_to_token"),
    Input("input.slot_ids"),
    Input("input.cu_seqlens"),
    Input("input.seq_lens"),
    Input("input.prefix_lens"),
    Scalar("input.max_seqlen_q", ScalarType::kI64, "q_len"),
    Scalar("input.max_seqlen_k", ScalarType::kI64, "kv_len"),
    Scalar("input.block_size_q", ScalarType::kI64, "q_block_size"),
    Scalar("input.block_size_k", ScalarType::kI64, "block_size"),
    Scalar("input.topk", ScalarType::kI64, "top_k"),
    Scalar("input.init_blocks", ScalarType::kI64, "init_blocks"),
    Scalar("input.local_blocks", ScalarType::kI64, "local_blocks"),
    Scalar("input.scale", ScalarType::kF64),
    Input("input.cu_seqblocks_q"),
    Scalar("input.max_seqblock_q", ScalarType::kI64),
    Scalar("input.all_seqblock_q", ScalarType::kI64),
    Output("output.topk_idx"),
    kStream,
};
constexpr std::string_view kAttentionMsaPrefillBlockScoreArgs[] = {"input.q",
                                                                   "input.index_k_cache",
                                                                   "input.req_to_token",
                                                                   "input.slot_ids",
                                                                   "input.cu_seqlens",
                                                                   "input.seq_lens",
                                                                   "input.prefix_lens",
                                                                   "input.max_seqlen_q",
                                                                   "input.max_seqlen_k",
                                                                   "input.block_size_q",
                                                                   "input.block_size_k",
                                                                   "input.topk",
                                                                   "input.init_blocks",
                                                                   "input.local_blocks",
                                                                   "input.scale",
                                                                   "input.cu_seqblocks_q",
                                                                   "input.max_seqblock_q",
                                                                   "input.all_seqblock_q",
                                                                   "output.topk_idx"};

constexpr CallResource kAttentionSdpa[] = {
    Input("input.q"),
    Input("input.k"),
    Input("input.v"),
    Scalar("input.sm_scale", ScalarType::kF64, "sm_scale"),
    Scalar("input.causal", ScalarType::kBool, "causal"),
    Output("output.out"),
    kStream,
};
constexpr std::string_view kAttentionSdpaArgs[] = {"input.q",    "input.k",        "input.v",
                                                   "output.out", "input.sm_scale", "input.causal"};

constexpr CallResource kCollectiveAllReduce[] = {
    Input("input.x"), Output("output.out"), kGroup, kGroupRank, kGroupSize, kStream,
};
constexpr std::string_view kCollectiveAllReduceArgs[] = {"input.x", "output.out", "group.current"};

constexpr CallResource kCollectiveArResidualRmsnorm[] = {
    Input("input.x"),
    Input("input.residual"),
    Input("input.weight"),
    Scalar("input.eps", ScalarType::kF64, "eps"),
    Output("output.out_norm"),
    Output("output.out_residual"),
    kGroup,
    kGroupRank,
    kGroupSize,
    kStream,
};
constexpr std::string_view kCollectiveArResidualRmsnormArgs[] = {
    "input.x",         "input.residual",      "input.weight", "input.eps",
    "output.out_norm", "output.out_residual", "group.current"};

constexpr CallResource kCollectiveMoeFinalizeArRmsnorm[] = {
    Input("input.gemm_out"),
    Input("input.row_map"),
    Input("input.scales"),
    Input("input.residual"),
    Input("input.weight"),
    Scalar("input.eps", ScalarType::kF64, "eps"),
    Output("output.out_norm"),
    Output("output.out_residual"),
    kGroup,
    kGroupRank,
    kGroupSize,
    kStream,
};
constexpr std::string_view kCollectiveMoeFinalizeArRmsnormArgs[] = {
    "input.gemm_out", "input.row_map",   "input.scales",        "input.residual", "input.weight",
    "input.eps",      "output.out_norm", "output.out_residual", "group.current"};

constexpr CallResource kNormRmsnorm[] = {
    Input("input.x"),
    Input("input.weight"),
    Scalar("input.eps", ScalarType::kF64, "eps"),
    Output("output.out"),
    kStream,
};
constexpr std::string_view kNormRmsnormArgs[] = {"input.x", "input.weight", "output.out",
                                                 "input.eps"};

constexpr CallAbi kCallAbis[] = {
    {"activation.silu_and_mul", kActivationSiluAndMul, kActivationSiluAndMulArgs},
    {"attention.decode", kAttentionDecode, kAttentionDecodeArgs},
    {"attention.msa_block_score", kAttentionMsaBlockScore, kAttentionMsaBlockScoreArgs},
    {"attention.msa_prefill_block_score", kAttentionMsaPrefillBlockScore,
     kAttentionMsaPrefillBlockScoreArgs},
    {"attention.sdpa", kAttentionSdpa, kAttentionSdpaArgs},
    {"collective.all_reduce", kCollectiveAllReduce, kCollectiveAllReduceArgs},
    {"collective.ar_residual_rmsnorm", kCollectiveArResidualRmsnorm,
     kCollectiveArResidualRmsnormArgs},
    {"collective.moe_finalize_ar_rmsnorm", kCollectiveMoeFinalizeArRmsnorm,
     kCollectiveMoeFinalizeArRmsnormArgs},
    {"norm.rmsnorm", kNormRmsnorm, kNormRmsnormArgs},
};

}  // namespace

std::span<const CallAbi> CallAbis() { return kCallAbis; }

}  // namespace cacheon::artifact
