// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/declare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kHead = "bundle_id = \"b\"\nabi_version = \"cacheon-op-abi-v0\"\n";
constexpr std::string_view kRow =
    "[[ops]]\nslot = \"norm.rmsnorm\"\nsource = \"k.py\"\nentry = \"run\"\n";

// Takes any list of exports, so that the rules around them can be tested alone.
class AnyExports final : public bundle::ArtifactRowChecker {
 public:
  bundle::ArtifactRows Check(const bundle::ArtifactRowInput& row,
                             std::vector<Error>&) const override {
    bundle::ArtifactRows rows;
    if (row.exports != nullptr) rows.exports = *row.exports;
    return rows;
  }
};

class DeclareTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    WriteFile("k.py", "x");
    WriteFile("a.cu", "x");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void WriteFile(const std::string& path, std::string_view content) {
    ASSERT_TRUE(WriteFileAtomically(root_ + "/" + path, content).has_value());
  }

  bundle::Manifest Read(std::string_view more) {
    WriteFile("manifest.toml", std::string(kHead) + std::string(kRow) + std::string(more));
    return bundle::ReadManifest(root_, {.mode = bundle::Mode::kStrict, .artifact_rows = &checker_})
        .manifest.value();
  }
  Result<RowEligibility> ReadRow(std::string_view more, std::string_view metadata,
                                 bundle::Mode mode = bundle::Mode::kStrict) {
    WriteFile("m.json", metadata);
    const bundle::Manifest manifest = Read("metadata = \"m.json\"\n" + std::string(more));
    return ReadEligibility(root_, manifest, manifest.ops[0], mode);
  }

  std::string root_ = testing::TempDir() + "/declare-XXXXXX";
  AnyExports checker_;
};

TEST_F(DeclareTest, TakesEveryFeatureOfARow) {
  const Declaration declaration = Declare(Read(
      "variant = \"v\"\nprepare = \"p\"\nsetup = \"s\"\nbase_kernel = \"b\"\ntile = 1\n"
      "cuda_sources = [\"a.cu\"]\n[competition]\ntarget = \"norm.rmsnorm\"\nmode = \"slot\"\n"));
  EXPECT_THAT(DeclaredFeatures(declaration),
              ElementsAre("cuda_sources", "entry", "op_extra:tile", "override", "prepare", "setup",
                          "variants"));
  EXPECT_EQ(declaration.competition->mode, "slot");
  EXPECT_EQ(declaration.rows[0].where.line, 3);
  EXPECT_EQ(declaration.rows[0].where.key_path, "ops[0]");
}

TEST_F(DeclareTest, TakesTheProvidersOfExports) {
  const Declaration declaration =
      Declare(Read("[[ops.aot_exports]]\nprovider = \"cutlass.cute.cubin.v1\"\n"));
  EXPECT_THAT(declaration.rows[0].providers, ElementsAre("cutlass.cute.cubin.v1"));
}

TEST_F(DeclareTest, ARowWithoutMetadataHasItsListsAlone) {
  const bundle::Manifest manifest = Read("dtypes = [\"bf16\"]\n");
  const RowEligibility row =
      ReadEligibility(root_, manifest, manifest.ops[0], bundle::Mode::kStrict).value();
  EXPECT_THAT(row.eligibility.dtypes, ElementsAre("bfloat16"));
}

TEST_F(DeclareTest, ErrorsOfMetadataNameItsFile) {
  const auto row = ReadRow("", R"({"graph_safe": 1})");
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, Code("elig.graph_safe_type"));
  EXPECT_EQ(row.error().where, (Place{.file = "m.json", .key_path = "graph_safe"}));
}

TEST_F(DeclareTest, ListsThatShareNothingAreAnErrorOfTheRow) {
  const auto row = ReadRow("dtypes = [\"bf16\"]\n", R"({"dtypes": ["fp16"]})");
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, Code("elig.disjoint"));
  EXPECT_EQ(row.error().where.key_path, "ops[0]");
}

TEST_F(DeclareTest, OnlyStrictModeWarns) {
  const auto strict = ReadRow("", R"({"gpu": 1})");
  ASSERT_EQ(strict.value().warnings.size(), 1U);
  EXPECT_EQ(strict.value().warnings[0].where.file, "m.json");
  EXPECT_THAT(ReadRow("", R"({"gpu": 1})", bundle::Mode::kCompat).value().warnings, IsEmpty());
}

}  // namespace
}  // namespace cacheon::policy
