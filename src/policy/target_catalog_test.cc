// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/target_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cacheon/policy/provider.h"

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TargetCatalog& Catalog() { return TargetCatalog::Published(); }

TEST(TargetCatalog, HasThePublishedDigests) {
  EXPECT_EQ(Catalog().digest(), "a027f7a4dacef0f0b2f23868b3b36002ac828e6c0ada7d7d19c6c3e82537ad16");
  EXPECT_EQ(ProviderRegistryDigest(PublishedProviders()),
            "dcef36132f07dae8cc9f9b7324d49238f957bcaeb0ed2e80dfd549605c1e14ca");
  const Target* epilogue = Catalog().Find("collective.moe_epilogue.v1");
  EXPECT_EQ(epilogue->spec_digest,
            "21177ee803de91650cfaa88ba7e9f0eebde5a5e3282166b8197c27b3da21105d");
  EXPECT_EQ(epilogue->contract_digest,
            "3d5ed003ff382070a4296acdcba7130ef02806cf75e1def2e460a52196b33ae5");
}

TEST(TargetCatalog, MemberSetsAreUnique) {
  std::set<std::set<std::string_view>> seen;
  for (const Target& target : Catalog().targets()) {
    EXPECT_TRUE(seen.emplace(target.members.begin(), target.members.end()).second) << target.id;
  }
}

TEST(TargetCatalog, SlotTargetsAreTheirOwnOnlyMember) {
  for (const Target& target : Catalog().targets()) {
    if (target.kind != TargetKind::kSlot) continue;
    EXPECT_THAT(target.members, ElementsAre(target.id));
  }
}

TEST(TargetCatalog, AtomicTargetsDisplaceTheirMembers) {
  const Target& epilogue = *Catalog().Find("collective.moe_epilogue.v1");
  EXPECT_THAT(Catalog().DisplacementClosure(epilogue),
              testing::UnorderedElementsAreArray(epilogue.members));
  EXPECT_THAT(Catalog().RequiresClosure(epilogue), IsEmpty());
}

TEST(TargetCatalog, CompatibilityIsSymmetricAndCoveredByOneRule) {
  for (const Target& target : Catalog().targets()) {
    for (const std::string_view other : target.compatible_with) {
      EXPECT_THAT(Catalog().Find(other)->compatible_with, testing::Contains(target.id));
      const auto rule = Catalog().FindCompositionRule(target.id, other);
      ASSERT_TRUE(rule.has_value());
      EXPECT_EQ(*rule, *Catalog().FindCompositionRule(other, target.id));
    }
  }
}

TEST(TargetCatalog, NeverAdmitsSetupAndAlwaysEntry) {
  for (const Target& target : Catalog().targets()) {
    EXPECT_FALSE(target.Allows("setup")) << target.id;
    EXPECT_TRUE(target.Allows("entry")) << target.id;
  }
}

TEST(TargetCatalog, FindsByExactMembers) {
  const std::vector<std::string> both = {"collective.ar_residual_rmsnorm",
                                         "collective.moe_finalize_ar_rmsnorm"};
  EXPECT_EQ(Catalog().FindByMembers(both)->id, "collective.moe_epilogue.v1");
  EXPECT_EQ(Catalog().FindByMembers(std::vector<std::string>{"norm.rmsnorm", "x"}), nullptr);
  EXPECT_EQ(Catalog().FindByMembers({}), nullptr);
}

void ExpectRefusal(const std::vector<std::string>& ids, Code code, std::string_view key_path) {
  const auto order = Catalog().Order(ids);
  ASSERT_FALSE(order.has_value());
  EXPECT_EQ(order.error().code, code);
  EXPECT_EQ(order.error().where.key_path, key_path);
}

TEST(ActiveSet, RefusesARepeatedTarget) {
  ExpectRefusal({"norm.rmsnorm", "norm.rmsnorm"}, "target.active_duplicate", "[1]");
}

TEST(ActiveSet, RefusesAnUnknownTarget) {
  ExpectRefusal({"norm.rmsnorm", "norm.x"}, "target.unknown", "[1]");
}

TEST(ActiveSet, RefusesAMemberBesideItsAtomicTarget) {
  ExpectRefusal({"collective.ar_residual_rmsnorm", "collective.moe_epilogue.v1"},
                "target.active_displaced", "[1]");
}

// So target.active_requires can only come from a later catalogue.
TEST(ActiveSet, NoTargetNeedsAnother) {
  for (const Target& target : Catalog().targets()) {
    EXPECT_THAT(Catalog().RequiresClosure(target), IsEmpty()) << target.id;
    const auto active = Catalog().ValidateActive(std::vector{std::string(target.id)});
    EXPECT_TRUE(active.has_value()) << target.id;
  }
}

TEST(ActiveSet, OrdersByIdExceptWhereARuleGivesPrecedence) {
  const std::vector<std::string> ids = {"norm.rmsnorm", "moe.fused_experts",
                                        "moe.fused_experts_reduce", "attention.sdpa"};
  EXPECT_THAT(Catalog().ValidateActive(ids).value(),
              ElementsAre("attention.sdpa", "moe.fused_experts", "moe.fused_experts_reduce",
                          "norm.rmsnorm"));
  EXPECT_THAT(Catalog().Order(ids).value(),
              ElementsAre("attention.sdpa", "moe.fused_experts_reduce", "moe.fused_experts",
                          "norm.rmsnorm"));
}

TEST(CompositionRule, IsMissingForTargetsThatDoNotCompose) {
  const auto rule = Catalog().FindCompositionRule("norm.rmsnorm", "attention.sdpa");
  ASSERT_FALSE(rule.has_value());
  EXPECT_EQ(rule.error().code, Code("target.no_composition"));
  EXPECT_EQ(rule.error().where, Place{});
  EXPECT_EQ(Catalog().FindCompositionRule("norm.rmsnorm", "x").error().code,
            Code("target.unknown"));
}

TEST(Providers, OursIsUnknownInCompatMode) {
  EXPECT_EQ(FindProvider("cuda.nvcc.cubin.v1", bundle::Mode::kCompat), nullptr);
  EXPECT_NE(FindProvider("cuda.nvcc.cubin.v1", bundle::Mode::kStrict), nullptr);
  EXPECT_NE(FindProvider("cutlass.cute.cubin.v1", bundle::Mode::kCompat), nullptr);
}

TEST(Providers, RegistriesHaveDifferentDigests) {
  EXPECT_NE(ProviderRegistryDigest(PublishedProviders()),
            ProviderRegistryDigest(ExtensionProviders()));
}

TEST(IsUnavailableInArena, KnowsTheTwoSlotsThatTheModelDoesNotRun) {
  EXPECT_TRUE(IsUnavailableInArena("norm.rmsnorm", "MiniMax-M3"));
  EXPECT_TRUE(IsUnavailableInArena("attention.msa_block_score", "MiniMax-M3-NVFP4"));
  EXPECT_FALSE(IsUnavailableInArena("norm.rmsnorm", ""));
  EXPECT_FALSE(IsUnavailableInArena("attention.decode", "MiniMax-M3"));
}

}  // namespace
}  // namespace cacheon::policy
