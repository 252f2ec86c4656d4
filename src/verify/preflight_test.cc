// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/verify/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace cacheon::verify {
namespace {

using tensor::DType;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PreflightTest : public testing::Test {
 protected:
  PreflightTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "preflight-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~PreflightTest() override { std::filesystem::remove_all(root_); }

  bundle::OpRow& AddRow(std::string slot, std::string variant = "default") {
    bundle::OpRow row;
    row.slot = std::move(slot);
    row.variant = std::move(variant);
    row.key_path = "ops[" + std::to_string(manifest_.ops.size()) + "]";
    manifest_.ops.push_back(std::move(row));
    return manifest_.ops.back();
  }
  void AddMetadata(bundle::OpRow& row, const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/" + name) << text;
    row.metadata = bundle::DeclaredPath{.text = name, .resolved = name};
  }
  Preflight Check() const { return CheckDomains(root_, manifest_, options_); }

  std::string root_;
  bundle::Manifest manifest_;
  Options options_;
};

TEST_F(PreflightTest, AdmitsRowsInTheOrderOfTheManifest) {
  AddRow("norm.rmsnorm").dtypes = {"float32"};
  AddRow("activation.silu_and_mul").dtypes = {"float32"};
  const Preflight preflight = Check();
  EXPECT_THAT(preflight.errors, IsEmpty());
  ASSERT_THAT(preflight.rows, SizeIs(2));
  EXPECT_EQ(preflight.rows[0].row->slot, "norm.rmsnorm");
  EXPECT_EQ(preflight.rows[1].slot->contract().id, "activation.silu_and_mul");
}

TEST_F(PreflightTest, KeepsAnUnknownSlotWithoutOne) {
  AddRow("activation.silu");
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.rows, SizeIs(1));
  EXPECT_EQ(preflight.rows[0].slot, nullptr);
  EXPECT_THAT(preflight.errors, IsEmpty());
}

TEST_F(PreflightTest, LooksTheSlotUpForTheModel) {
  AddRow("moe.fused_experts").dtypes = {"bfloat16"};
  options_.model = "MiniMax-M3";
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.rows, SizeIs(1));
  EXPECT_EQ(preflight.rows[0].slot, slots::FindSlot("moe.fused_experts", "MiniMax-M3"));
  EXPECT_NE(preflight.rows[0].slot, slots::FindSlot("moe.fused_experts"));
}

TEST_F(PreflightTest, RefusesMalformedMetadataWithItsFile) {
  AddMetadata(AddRow("norm.rmsnorm"), "meta.json", "{");
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.errors, SizeIs(1));
  EXPECT_EQ(preflight.errors[0].code, Code("elig.metadata_json"));
  EXPECT_EQ(preflight.errors[0].where.file, "meta.json");
  EXPECT_THAT(preflight.errors[0].context, ElementsAre("checking the domain of ops[0]"));
  EXPECT_THAT(preflight.rows, IsEmpty());
}

TEST_F(PreflightTest, RefusesMetadataThatCannotBeRead) {
  AddRow("norm.rmsnorm").metadata =
      bundle::DeclaredPath{.text = "none.json", .resolved = "none.json"};
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.errors, SizeIs(1));
  EXPECT_EQ(preflight.errors[0].code, Code("io.open"));
  EXPECT_EQ(preflight.errors[0].where.file, "none.json");
}

TEST_F(PreflightTest, NamesTheKeyOfABadBound) {
  AddMetadata(AddRow("norm.rmsnorm"), "meta.json", R"({"max_num_tokens": "many"})");
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.errors, SizeIs(1));
  EXPECT_EQ(preflight.errors[0].code, Code("elig.bound"));
  EXPECT_EQ(preflight.errors[0].where.key_path, "max_num_tokens");
}

TEST_F(PreflightTest, CollectsWarningsOfMetadata) {
  AddMetadata(AddRow("norm.rmsnorm"), "meta.json", R"({"graph_safe": true, "graph_safe": false})");
  const Preflight preflight = Check();
  EXPECT_THAT(preflight.errors, IsEmpty());
  ASSERT_THAT(preflight.warnings, SizeIs(1));
  EXPECT_EQ(preflight.warnings[0].code, Code("elig.duplicate_key"));
}

TEST_F(PreflightTest, RefusesRowsThatServeTheSameCalls) {
  AddRow("norm.rmsnorm", "a").dtypes = {"float32", "bfloat16"};
  AddRow("norm.rmsnorm", "b").dtypes = {"float32"};
  const Preflight preflight = Check();
  ASSERT_THAT(preflight.errors, SizeIs(1));
  EXPECT_EQ(preflight.errors[0].code, Code("route.overlap"));
  EXPECT_EQ(preflight.errors[0].where.key_path, "ops[1]");
}

TEST_F(PreflightTest, ChoosesRowsBySlotAndVariantAndChecksAll) {
  AddRow("norm.rmsnorm", "a").dtypes = {"float32"};
  AddRow("norm.rmsnorm", "b").dtypes = {"bfloat16"};
  AddRow("activation.silu_and_mul").dtypes = {"float32"};
  options_.rows = {{.slot = "norm.rmsnorm", .variant = "b"}};
  EXPECT_THAT(Check().rows, SizeIs(1));
  options_.rows = {{.slot = "norm.rmsnorm", .variant = ""}};
  EXPECT_THAT(Check().rows, SizeIs(2));
  AddRow("activation.silu_and_mul", "again").dtypes = {"float32"};
  EXPECT_THAT(Check().errors, SizeIs(1));
}

policy::Eligibility WithDTypes(std::vector<std::string> dtypes) {
  return {.dtypes = std::move(dtypes)};
}

TEST(DTypesToRun, AreThoseThatTheDomainAdmits) {
  EXPECT_THAT(DTypesToRun(WithDTypes({"bfloat16", "float32"}), {}),
              ElementsAre(DType::kBFloat16, DType::kFloat32));
  EXPECT_THAT(DTypesToRun(WithDTypes({"float16"}), {}), ElementsAre(DType::kFloat16));
  EXPECT_THAT(DTypesToRun(WithDTypes({"float64"}), {}), IsEmpty());
}

TEST(DTypesToRun, IsBFloat16WithoutAConstraint) {
  EXPECT_THAT(DTypesToRun({}, {}), ElementsAre(DType::kBFloat16));
}

TEST(DTypesToRun, AreThoseAskedFor) {
  EXPECT_THAT(DTypesToRun(WithDTypes({"bfloat16"}), {.dtypes = {DType::kFloat32}}),
              ElementsAre(DType::kFloat32));
}

}  // namespace
}  // namespace cacheon::verify
