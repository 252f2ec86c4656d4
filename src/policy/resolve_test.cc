// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kCompat = bundle::Mode::kCompat;
constexpr auto kStrict = bundle::Mode::kStrict;
constexpr const char* kPublished = "cutlass.cute.cubin.v1";
constexpr const char* kOurs = "cuda.nvcc.cubin.v1";

Place At(std::string key_path) {
  return {.file = "manifest.toml", .key_path = std::move(key_path)};
}

DeclaredRow Row(std::string slot) { return {.slot = std::move(slot), .where = At("ops[0]")}; }

Declaration One(DeclaredRow row) { return {.rows = {std::move(row)}}; }

Declaration Request(std::string target, std::string mode, std::vector<DeclaredRow> rows) {
  return {.rows = std::move(rows),
          .competition = CompetitionRequest{std::move(target), std::move(mode), At("competition")}};
}

void ExpectRefusal(const Declaration& declaration, const std::vector<std::string>& features,
                   Code code, const Place& where, bundle::Mode mode = kCompat) {
  const auto resolution = AdmitBundle(declaration, features, mode);
  ASSERT_FALSE(resolution.has_value());
  EXPECT_EQ(resolution.error().code, code);
  EXPECT_EQ(resolution.error().where, where);
}

const Place kRebuild{.file = "rebuild.json"};

TEST(DeclaredFeatures, ShowsEveryKind) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.variant = "fast";
  row.has_prepare = row.has_setup = row.has_override = true;
  row.cuda_sources = {"a.cu"};
  row.providers = {kPublished, kPublished};
  row.extra_keys = {"tile"};
  EXPECT_THAT(DeclaredFeatures({.rows = {row}, .patched_dependencies = {"flashinfer"}}),
              ElementsAre("aot:cutlass.cute.cubin.v1", "cuda_sources", "dep_patch:flashinfer",
                          "entry", "op_extra:tile", "override", "prepare", "setup", "variants"));
}

TEST(DeclaredFeatures, ASlotWithTwoRowsHasVariants) {
  EXPECT_THAT(DeclaredFeatures({.rows = {Row("norm.rmsnorm"), Row("norm.rmsnorm")}}),
              ElementsAre("entry", "variants"));
  EXPECT_THAT(DeclaredFeatures({.rows = {Row("norm.rmsnorm"), Row("attention.sdpa")}}),
              ElementsAre("entry"));
}

TEST(Resolution, InfersAnAtomicTargetFromItsMembersInAnyOrder) {
  const Resolution resolution = AdmitBundle({.rows = {Row("collective.moe_finalize_ar_rmsnorm"),
                                                      Row("collective.ar_residual_rmsnorm")}},
                                            {}, kCompat)
                                    .value();
  EXPECT_EQ(resolution.target_id, "collective.moe_epilogue.v1");
  EXPECT_TRUE(resolution.implicit);
  EXPECT_TRUE(resolution.features_complete);
  EXPECT_THAT(resolution.members,
              ElementsAre("collective.ar_residual_rmsnorm", "collective.moe_finalize_ar_rmsnorm"));
}

TEST(Resolution, AnUnregisteredBundleIsAResultOfInspection) {
  const Declaration declaration{.rows = {Row("norm.rmsnorm"), Row("attention.sdpa")}};
  const Resolution resolution = InspectResolution(declaration, kCompat).value();
  EXPECT_FALSE(resolution.registered);
  EXPECT_TRUE(resolution.implicit);
  EXPECT_THAT(resolution.members, ElementsAre("attention.sdpa", "norm.rmsnorm"));
  EXPECT_EQ(resolution.ToJson().Find("reason")->as_string(), "target.unregistered_members");
  ExpectRefusal(declaration, {}, "target.unregistered_members", At("ops[0]"));
}

TEST(Resolution, SystemModeIsRefusedBeforeTheTargetIsLookedUp) {
  const Declaration declaration = Request("made.up", "system", {Row("norm.rmsnorm")});
  EXPECT_FALSE(InspectResolution(declaration, kCompat).value().implicit);
  ExpectRefusal(declaration, {}, "target.legacy_system", At("competition"));
}

TEST(Resolution, RefusesARequestThatDoesNotFit) {
  ExpectRefusal(Request("norm.rmsnorm", "both", {Row("norm.rmsnorm")}), {}, "target.mode_unknown",
                At("competition"));
  ExpectRefusal(Request("made.up", "slot", {Row("norm.rmsnorm")}), {}, "target.unknown",
                At("competition"));
  ExpectRefusal(Request("norm.rmsnorm", "atomic", {Row("norm.rmsnorm")}), {},
                "target.mode_mismatch", At("competition"));
  ExpectRefusal(Request("norm.rmsnorm", "slot", {Row("attention.sdpa")}), {},
                "target.member_mismatch", At("competition"));
}

TEST(Admission, NeverAdmitsSetup) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.has_setup = true;
  row.extra_keys = {"tile"};
  ExpectRefusal(One(row), {}, "target.feature_setup", At("ops[0]"));
}

TEST(Admission, RefusesFeaturesThatTheTargetDoesNotAllow) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.extra_keys = {"tile"};
  ExpectRefusal(One(row), {}, "target.feature_rejected", At("ops[0]"));
  ExpectRefusal(One(Row("norm.rmsnorm")), {"rebuild:apply_dep_patch"}, "target.feature_rejected",
                At("ops[0]"));
}

TEST(Admission, RefusesABlankFeature) {
  ExpectRefusal(One(Row("norm.rmsnorm")), {""}, "target.features_malformed", kRebuild);
}

TEST(Consistency, PatchesNeedTheirStepAndTheStepNeedsPatches) {
  Declaration declaration = One(Row("collective.moe_finalize_ar_rmsnorm"));
  ExpectRefusal(declaration, {"rebuild:apply_dep_patch"}, "target.rebuild_patch_without_patch",
                kRebuild);
  declaration.patched_dependencies = {"flashinfer"};
  ExpectRefusal(declaration, {}, "target.patch_without_rebuild", At("ops[0]"));
  EXPECT_TRUE(
      AdmitBundle(declaration, std::vector<std::string>{"rebuild:apply_dep_patch"}, kCompat));
}

TEST(Consistency, CudaSourcesNeedTheirStepAndAUnit) {
  DeclaredRow row = Row("norm.rmsnorm");
  ExpectRefusal(One(row), {"rebuild:build_cuda_ext"}, "target.rebuild_cuda_without_sources",
                kRebuild);
  row.cuda_sources = {"a.cuh"};
  ExpectRefusal(One(row), {}, "target.cuda_without_rebuild", At("ops[0]"));
  ExpectRefusal(One(row), {"rebuild:build_cuda_ext"}, "target.cuda_no_unit", At("ops[0]"));
}

TEST(Consistency, ExportsNeedTheirStepAndTheStepNeedsExports) {
  DeclaredRow row = Row("norm.rmsnorm");
  ExpectRefusal(One(row), {"rebuild:build_cute_cubin"}, "target.rebuild_aot_without_exports",
                kRebuild);
  row.providers = {kPublished};
  ExpectRefusal(One(row), {}, "target.aot_missing_features", At("ops[0]"));
  EXPECT_TRUE(AdmitBundle(One(row), std::vector<std::string>{"rebuild:build_cute_cubin"}, kCompat));
}

// Admission speaks before target.provider_unregistered can.
TEST(Admission, RefusesExportsOfAnUnknownProvider) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.providers = {"my.compiler.v1"};
  ExpectRefusal(One(row), {}, "target.feature_rejected", At("ops[0]"), kStrict);
}

TEST(Extension, IsAdmittedInStrictModeWhereThePublishedProviderIs) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.providers = {kOurs};
  row.cuda_sources = {"k.cu"};
  const std::vector<std::string> features = {"rebuild:build_nvcc_cubin"};
  EXPECT_TRUE(AdmitBundle(One(row), features, kStrict).has_value());
  ExpectRefusal(One(row), features, "target.feature_rejected", At("ops[0]"), kCompat);
  ExpectRefusal(One(row), {}, "target.aot_missing_features", At("ops[0]"), kStrict);
  row.slot = "moe.fused_experts";
  ExpectRefusal(One(row), features, "target.feature_rejected", At("ops[0]"), kStrict);
}

TEST(ResolutionWarnings, NameSlotsThatAnArenaCannotMeasure) {
  const Declaration declaration = One(Row("norm.rmsnorm"));
  const Resolution resolution = InspectResolution(declaration, kStrict).value();
  EXPECT_THAT(ResolutionWarnings(declaration, resolution), IsEmpty());
  const auto warnings = ResolutionWarnings(declaration, resolution, "MiniMax-M3");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, Code("target.unavailable_in_arena"));
  EXPECT_EQ(warnings[0].where, At("ops[0]"));
  EXPECT_EQ(warnings[0].severity, Severity::kWarning);
}

TEST(ResolutionWarnings, NameAPrepareThatIsNeverCalled) {
  DeclaredRow row = Row("norm.rmsnorm");
  row.has_prepare = true;
  const Resolution resolution = InspectResolution(One(row), kStrict).value();
  const auto warnings = ResolutionWarnings(One(row), resolution);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, Code("target.prepare_unused"));
  EXPECT_EQ(warnings[0].where, At("ops[0]"));
  row.slot = "moe.fused_experts";
  EXPECT_THAT(ResolutionWarnings(One(row), resolution), IsEmpty());
}

}  // namespace
}  // namespace cacheon::policy
