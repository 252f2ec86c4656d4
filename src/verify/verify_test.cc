// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What is decided before any worker starts. Runs with workers are the examples' and the command
// line's tests.

#include "cacheon/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cacheon/core/unique_fd.h"

namespace cacheon::verify {
namespace {

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "verify-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    std::ofstream(root_ + "/kernel.py") << "def entry(*arguments):\n    pass\n";
  }
  ~VerifyTest() override { std::filesystem::remove_all(root_); }

  void Manifest(const std::string& slot, const std::string& more = "") const {
    std::ofstream(root_ + "/manifest.toml")
        << "bundle_id = \"b\"\nabi_version = \"cacheon-op-abi-v0\"\n[[ops]]\nslot = \"" << slot
        << "\"\nsource = \"kernel.py\"\nentry = \"entry\"\n"
        << more;
  }
  Verdict Run() const { return Verify(root_, options_); }

  std::string root_;
  Options options_ = {.seed = 3};
};

TEST_F(VerifyTest, AMissingFolderIsAUsageError) {
  const Verdict verdict = Verify(root_ + "/none", options_);
  EXPECT_EQ(verdict.status, RunStatus::kError);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kUsage);
  ASSERT_EQ(verdict.errors.size(), 1U);
  EXPECT_EQ(verdict.errors[0].code, Code("usage.no_bundle"));
  EXPECT_EQ(verdict.errors[0].where.file, root_ + "/none");
}

TEST_F(VerifyTest, AMissingManifestIsTheBundlesFault) {
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kRefused);
  ASSERT_FALSE(verdict.errors.empty());
  EXPECT_EQ(verdict.errors[0].where.file, "manifest.toml");
}

TEST_F(VerifyTest, AnUnknownSlotIsNotApplicable) {
  Manifest("activation.silu");
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kNotApplicable);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kRefused);
  ASSERT_EQ(verdict.rows.size(), 1U);
  ASSERT_EQ(verdict.rows[0].errors.size(), 1U);
  EXPECT_EQ(verdict.rows[0].errors[0].code, Code("slot.unknown"));
  EXPECT_EQ(verdict.rows[0].errors[0].where.key_path, "ops[0].slot");
}

TEST_F(VerifyTest, ACollectiveNeedsRanks) {
  Manifest("collective.all_reduce");
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kNotApplicable);
  ASSERT_EQ(verdict.rows.size(), 1U);
  EXPECT_EQ(verdict.rows[0].errors.at(0).code, Code("verify.needs_ranks"));
  EXPECT_EQ(verdict.rows[0].errors.at(0).where.key_path, "ops[0].slot");
}

TEST_F(VerifyTest, ADirectArtifactNeedsAGpu) {
  // Any manifest of the vectors that is accepted and has a direct artifact.
  const Result<std::string> text = ReadFile(
      std::string(CACHEON_SOURCE_DIR) + "/tests/data/vectors/artifact/manifests.json", 64U << 20U);
  ASSERT_TRUE(text);
  const Result<Json> vectors = ReadJson(*text);
  const auto& cases = vectors->Find("cases")->as_array();
  const auto accepted = std::ranges::find_if(
      cases, [](const Json& one) { return *one.Find("name") == Json("name 64"); });
  ASSERT_NE(accepted, cases.end());
  std::ofstream(root_ + "/manifest.toml") << accepted->Find("manifest_toml")->as_string();
  std::ofstream(root_ + "/k.py") << "\n";
  options_.mode = bundle::Mode::kCompat;
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kNotApplicable);
  ASSERT_EQ(verdict.rows.size(), 1U);
  EXPECT_EQ(verdict.rows[0].lane, "direct");
  ASSERT_EQ(verdict.rows[0].errors.size(), 1U);
  EXPECT_EQ(verdict.rows[0].errors[0].code, Code("verify.needs_gpu"));
  EXPECT_EQ(verdict.rows[0].errors[0].where.key_path, "ops[0].slot");
}

TEST_F(VerifyTest, AChoiceOfNoRowIsAUsageError) {
  Manifest("norm.rmsnorm");
  options_.rows = {{.slot = "norm.rmsnorm", .variant = "fast"}};
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kError);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kUsage);
  ASSERT_EQ(verdict.errors.size(), 1U);
  EXPECT_EQ(verdict.errors[0].code, Code("usage.unknown_row"));
  EXPECT_EQ(verdict.errors[0].where.key_path, "--rows");
  EXPECT_EQ(verdict.errors[0].message, "the bundle has no row `norm.rmsnorm:fast`");
}

TEST_F(VerifyTest, AMissingInterpreterIsTheMachines) {
  Manifest("norm.rmsnorm");
  options_.python = root_ + "/python";
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kError);
  EXPECT_EQ(ExitStatusOf(verdict), ExitStatus::kEnvironment);
  ASSERT_EQ(verdict.rows.size(), 1U);
  EXPECT_EQ(verdict.rows[0].errors.at(0).code, Code("env.python_missing"));
}

TEST_F(VerifyTest, LoadsNothingOfABundleThatTheScanRefuses) {
  Manifest("norm.rmsnorm");
  std::ofstream(root_ + "/hidden.py") << "import torch\nimport subprocess\n";
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.status, RunStatus::kFail);
  EXPECT_TRUE(verdict.rows.empty());
  EXPECT_EQ(verdict.content_hash.size(), 64U);
  const auto error = std::ranges::find(verdict.errors, Severity::kError, &Error::severity);
  ASSERT_NE(error, verdict.errors.end());
  EXPECT_EQ(error->code, Code("py.import_denied"));
  EXPECT_EQ(error->where.file, "hidden.py");
  EXPECT_EQ(error->where.line, 2);
}

TEST_F(VerifyTest, RefusesATargetThatDoesNotExistInStrictModeAlone) {
  Manifest("activation.silu", "\n[competition]\ntarget = \"activation.silu\"\nmode = \"slot\"\n");
  const Verdict strict = Run();
  EXPECT_EQ(strict.status, RunStatus::kFail);
  EXPECT_EQ(strict.errors.back().code, Code("target.unknown"));
  EXPECT_EQ(strict.errors.back().where.file, "manifest.toml");
  options_.mode = bundle::Mode::kCompat;
  EXPECT_EQ(Run().status, RunStatus::kNotApplicable);
}

TEST_F(VerifyTest, FindsTheTargetThatARowAloneCompetesFor) {
  Manifest("collective.all_reduce");
  EXPECT_EQ(Run().target, "collective.all_reduce");
}

TEST_F(VerifyTest, KeepsTheChoicesOfTheRun) {
  options_.mode = bundle::Mode::kCompat;
  options_.cases = CaseList::kPublished;
  options_.dtypes = {tensor::DType::kFloat16};
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.seed, 3U);
  EXPECT_EQ(verdict.mode, "compat");
  EXPECT_EQ(verdict.case_list, "published");
  EXPECT_EQ(verdict.dtypes, std::vector<std::string>{"float16"});
}

}  // namespace
}  // namespace cacheon::verify
