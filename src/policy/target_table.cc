// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/target_table.h"

#include <algorithm>

namespace cacheon::policy {
namespace {

constexpr std::string_view kMoeDispatch = "sglang.moe.fused-experts.dispatch.v1";

}  // namespace

std::span<const SlotRow> SlotRows() {
  static const std::vector<SlotRow> rows = {
      {.slot = "activation.silu_and_mul",
       .kind = "op",
       .entry = "silu_and_mul",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"x"},
       .correctness = {},
       .kl_threshold = std::nullopt,
       .input_abi_id = "activation.silu_and_mul.input.v1",
       .output_abi_id = "activation.silu_and_mul.output.v1",
       .reference_id = "activation.silu_and_mul.reference.v1",
       .verification_profile_id = "activation.silu_and_mul.verify.v1",
       .binding_family_id = "sglang.activation.silu_and_mul.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "attention.decode",
       .kind = "block",
       .entry = "attention_decode",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"q", "k_cache", "v_cache", "req_to_token", "seq_lens",
                                "req_pool_indices", "topk_idx"},
       .correctness = {.mode = "matched_ratio", .min_ratio = "0.99"},
       .kl_threshold = "0.03",
       .input_abi_id = "attention.minimax-sparse-decode.input.v1",
       .output_abi_id = "attention.minimax-sparse-decode.output.v1",
       .reference_id = "attention.minimax-sparse-decode.reference.v1",
       .verification_profile_id = "attention.minimax-sparse-decode.verify.v1",
       .binding_family_id = "sglang.attention.minimax-sparse-decode.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "attention.msa_block_score",
       .kind = "block",
       .entry = "msa_block_score",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"q", "index_k", "seq_lens"},
       .correctness = {.mode = "topk_overlap", .top_k = 8, .min_overlap = "0.875"},
       .kl_threshold = "0.03",
       .input_abi_id = "attention.msa_block_score.input.v1",
       .output_abi_id = "attention.msa_block_score.output.v1",
       .reference_id = "attention.msa_block_score.reference.v1",
       .verification_profile_id = "attention.msa_block_score.verify.v1",
       .binding_family_id = "sglang.attention.msa.decode-score.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "attention.msa_prefill_block_score",
       .kind = "block",
       .entry = "msa_prefill_block_score",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"q", "index_k_cache"},
       .correctness = {.mode = "topk_overlap", .top_k = 8, .min_overlap = "0.9"},
       .kl_threshold = "0.03",
       .input_abi_id = "attention.msa_prefill_block_score.input.v2",
       .output_abi_id = "attention.msa_prefill_block_score.output.v2",
       .reference_id = "attention.msa_prefill_block_score.reference.v2",
       .verification_profile_id = "attention.msa_prefill_block_score.verify.v2",
       .binding_family_id = "sglang.attention.msa.prefill-selection.v2",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "attention.sdpa",
       .kind = "block",
       .entry = "attention",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"q", "k", "v"},
       .correctness = {.mode = "matched_ratio", .min_ratio = "0.99"},
       .kl_threshold = "0.03",
       .input_abi_id = "attention.sdpa.input.v1",
       .output_abi_id = "attention.sdpa.output.v1",
       .reference_id = "attention.sdpa.reference.v1",
       .verification_profile_id = "attention.sdpa.verify.v1",
       .binding_family_id = "sglang.attention.radix.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "collective.all_reduce",
       .kind = "collective",
       .entry = "all_reduce",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"x"},
       .correctness = {.mode = "matched_ratio", .min_ratio = "0.99"},
       .kl_threshold = std::nullopt,
       .input_abi_id = "collective.all_reduce.input.v1",
       .output_abi_id = "collective.all_reduce.output.v1",
       .reference_id = "collective.all_reduce.reference.v1",
       .verification_profile_id = "collective.all_reduce.verify.v1",
       .binding_family_id = "sglang.collective.all_reduce.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "collective.ar_residual_rmsnorm",
       .kind = "collective",
       .entry = "ar_residual_rmsnorm",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"x", "residual"},
       .correctness = {.mode = "matched_ratio", .min_ratio = "0.99"},
       .kl_threshold = std::nullopt,
       .input_abi_id = "collective.ar_residual_rmsnorm.input.v1",
       .output_abi_id = "collective.ar_residual_rmsnorm.output.v1",
       .reference_id = "collective.ar_residual_rmsnorm.reference.v1",
       .verification_profile_id = "collective.ar_residual_rmsnorm.verify.v1",
       .binding_family_id = "sglang.collective.ar-fusion.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
      {.slot = "collective.moe_finalize_ar_rmsnorm",
       .kind = "collective",
       .entry = "moe_finalize_ar_rmsnorm",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"gemm_out", "row_map", "scales", "residual"},
       .correctness = {.mode = "matched_ratio", .min_ratio = "0.99"},
       .kl_threshold = std::nullopt,
       .input_abi_id = "collective.moe_finalize_ar_rmsnorm.input.v1",
       .output_abi_id = "collective.moe_finalize_ar_rmsnorm.output.v1",
       .reference_id = "collective.moe_finalize_ar_rmsnorm.reference.v1",
       .verification_profile_id = "collective.moe_finalize_ar_rmsnorm.verify.v1",
       .binding_family_id = "sglang.collective.moe-finalize.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandardAndFlashinfer},
      {.slot = "moe.fused_experts",
       .kind = "block",
       .entry = "fused_experts",
       .prepare = "prepare",
       .graph_dynamic_inputs = {"x", "topk_ids", "topk_weights"},
       .correctness = {.mode = "cosine", .min_cosine = "0.985"},
       .kl_threshold = std::nullopt,
       .input_abi_id = "moe.fused_experts.modelopt-nvfp4-gate-up.input.v3",
       .output_abi_id = "moe.fused_experts.output.v1",
       .reference_id = "moe.fused_experts.m3-swigluoai.reference.v2",
       .verification_profile_id = "moe.fused_experts.m3-nvfp4.verify.v3",
       .binding_family_id = kMoeDispatch,
       .compatible_with = {"moe.fused_experts_reduce"},
       .features = FeatureSet::kNoAheadOfTime},
      {.slot = "moe.fused_experts_reduce",
       .kind = "collective",
       .entry = "fused_experts_reduce",
       .prepare = "prepare",
       .graph_dynamic_inputs = {"x", "topk_ids", "topk_weights"},
       .correctness = {.mode = "cosine", .min_cosine = "0.985"},
       .kl_threshold = std::nullopt,
       .input_abi_id = "moe.fused_experts_reduce.modelopt-nvfp4-gate-up.input.v3",
       .output_abi_id = "moe.fused_experts_reduce.output.v1",
       .reference_id = "moe.fused_experts_reduce.m3-swigluoai.reference.v2",
       .verification_profile_id = "moe.fused_experts_reduce.m3-nvfp4.verify.v3",
       .binding_family_id = kMoeDispatch,
       .compatible_with = {"moe.fused_experts"},
       .features = FeatureSet::kNoAheadOfTime},
      {.slot = "norm.rmsnorm",
       .kind = "op",
       .entry = "rmsnorm",
       .prepare = std::nullopt,
       .graph_dynamic_inputs = {"x"},
       .correctness = {},
       .kl_threshold = std::nullopt,
       .input_abi_id = "norm.rmsnorm.input.v1",
       .output_abi_id = "norm.rmsnorm.output.v1",
       .reference_id = "norm.rmsnorm.reference.v1",
       .verification_profile_id = "norm.rmsnorm.verify.v1",
       .binding_family_id = "sglang.norm.rmsnorm.v1",
       .compatible_with = {},
       .features = FeatureSet::kStandard},
  };
  return rows;
}

std::span<const AtomicRow> AtomicRows() {
  static const std::vector<AtomicRow> rows = {
      {.id = "collective.moe_epilogue.v1",
       .members = {"collective.ar_residual_rmsnorm", "collective.moe_finalize_ar_rmsnorm"},
       .semantics_id = "collective.moe_epilogue.v1.atomic-semantics.v1",
       .features = FeatureSet::kStandardAndFlashinfer},
  };
  return rows;
}

std::span<const RuleRow> RuleRows() {
  static const std::vector<RuleRow> rows = {
      {.id = "sglang.moe.reduce-first.v1",
       .target_ids = {"moe.fused_experts", "moe.fused_experts_reduce"},
       .precedence = {"moe.fused_experts_reduce", "moe.fused_experts"},
       .mode = "first_applicable",
       .binding_family_id = kMoeDispatch},
  };
  return rows;
}

std::vector<std::string_view> FeaturesOf(FeatureSet set) {
  std::vector<std::string_view> features = {"entry",    "variants",     "prepare",
                                            "override", "cuda_sources", "rebuild:build_cuda_ext"};
  if (set != FeatureSet::kNoAheadOfTime) {
    features.insert(features.end(), {"aot:cutlass.cute.cubin.v1", "rebuild:build_cute_cubin"});
  }
  if (set == FeatureSet::kStandardAndFlashinfer) {
    features.insert(features.end(), {"dep_patch:flashinfer", "rebuild:apply_dep_patch"});
  }
  std::ranges::sort(features);
  return features;
}

}  // namespace cacheon::policy
