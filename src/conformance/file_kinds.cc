// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/conformance/file_kinds.h"

#include <array>

namespace cacheon::conformance {
namespace {

// Sorted by path. A new kind is one declaration in file_kinds.h, one source file and one row here.
constexpr auto kFileKinds = std::to_array<FileKind>({
    {"artifact/authorities.json", "slot call ABIs and the provider registry", RunAuthorities},
    {"artifact/canonical_json.json", "canonical bytes of values", RunArtifactCanonicalJson},
    {"artifact/compile_profile.json", "compile profiles and their digests", RunCompileProfile},
    {"artifact/expressions.json", "reading and evaluating expressions", RunExpressions},
    {"artifact/fast_divmod.json", "prepared divisors, byte for byte", RunFastDivmod},
    {"artifact/identities.json", "identities of direct artifacts", RunIdentities},
    {"artifact/launch.json", "launch geometry, attributes, parameter buffers", RunLaunch},
    {"artifact/manifests.json", "manifests with direct artifacts", RunArtifactManifests},
    {"artifact/parameters.json", "kernel parameters, read and packed", RunParameters},
    {"artifact/plan_selection.json", "the choice of a plan", RunPlanSelection},
    {"artifact/publication_paths.json", "paths inside publications", RunPublicationPaths},
    {"artifact/receipts.json", "the completion gate over receipts", RunReceipts},
    {"artifact/reference_crashes.json", "manifests that crash a lesser reader",
     RunArtifactManifests},
    {"artifact/resources.json", "artifact resources and their live shapes", RunResources},
    {"artifact/tma.json", "resolved tensor maps", RunTma},
    {"bundle/artifact_identity.json", "call ABIs, direct identities, projected metadata",
     RunArtifactIdentity},
    {"bundle/archive.json", "safe extraction and the extracted tree", RunArchive},
    {"bundle/canonical_json.json", "canonical bytes and domain digests", RunCanonicalJson},
    {"bundle/content_hash.json", "content hash, order and carrier variant", RunContentHash},
    {"bundle/dep_patch.json", "dependency patches, parsed and applied", RunDepPatch},
    {"bundle/manifest.json", "the manifest reader and its canonical view", RunManifest},
    {"bundle/routing.json", "capability domains, matching, overlap, selection", RunRouting},
    {"bundle/target_catalog.json", "the catalogue's snapshot, digests and active sets",
     RunTargetCatalog},
    {"bundle/target_resolution.json", "features, rebuild plans and resolution",
     RunTargetResolution},
    {"slots/attention_decode.json", "attention over chosen blocks of a paged cache", RunDecode},
    {"slots/attention_sdpa.json", "attention of one sequence", RunSdpa},
    {"slots/collective_all_reduce.json", "sums over ranks", RunAllReduce},
    {"slots/collective_ar_residual_rmsnorm.json", "sums over ranks, residual and norm",
     RunArResidualRmsNorm},
    {"slots/collective_moe_finalize.json", "experts' rows, gathered, summed and normalised",
     RunMoeFinalize},
    {"slots/comparators.json", "verdicts and scores of the published comparators", RunComparators},
    {"slots/moe_fused_experts.json", "routed experts, on one rank and on several", RunFusedExperts},
    {"slots/msa_block_score.json", "scores of blocks and the best of them", RunBlockScore},
    {"slots/msa_prefill_block_score.json", "the choice of blocks for query blocks", RunPrefill},
    {"slots/nvfp4.json", "the NVFP4 codec, its scales, row orders and forward", RunNvfp4},
    {"slots/rmsnorm.json", "normalised rows", RunRmsNorm},
    {"slots/silu_and_mul.json", "gated activations", RunSiluAndMul},
});

}  // namespace

std::span<const FileKind> FileKinds() { return kFileKinds; }

const FileKind* FindFileKind(std::string_view path) {
  for (const FileKind& kind : FileKinds()) {
    const bool whole_name =
        path.size() == kind.path.size() ||
        (path.size() > kind.path.size() && path[path.size() - kind.path.size() - 1] == '/');
    if (path.ends_with(kind.path) && whole_name) return &kind;
  }
  return nullptr;
}

}  // namespace cacheon::conformance
