// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/scan_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {
namespace {

using testing::ElementsAre;

class NoArtifacts final : public bundle::ArtifactRowChecker {
 public:
  bundle::ArtifactRows Check(const bundle::ArtifactRowInput&, std::vector<Error>&) const override {
    return {};
  }
};

class ScanInputTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    Write("k.py", "def run(): pass\n");
    Write("a.cu", "// a\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& content) const {
    ASSERT_TRUE(WriteFileAtomically(root_ + "/" + path, content).has_value());
  }
  bundle::Manifest Read(const std::string& slot, const std::string& more = "") const {
    Write("manifest.toml",
          "bundle_id = \"b\"\nabi_version = \"cacheon-op-abi-v0\"\n[[ops]]\nslot = \"" + slot +
              "\"\nsource = \"./k.py\"\nentry = \"run\"\n" + more);
    return bundle::ReadManifest(root_, {.artifact_rows = &checker_}).manifest.value();
  }

  std::string root_ = testing::TempDir() + "/scan-input-XXXXXX";
  NoArtifacts checker_;
};

TEST_F(ScanInputTest, CarriesEveryEntryWithItsBytesAndWhatTheRowsDeclare) {
  const bundle::Manifest manifest = Read("norm.rmsnorm", "cuda_sources = [\"a.cu\"]\n");
  const auto contents = bundle::ReadTreeContents(root_);
  ASSERT_TRUE(contents) << FormatError(contents.error());
  const ScanBundle scan = MakeScanBundle(root_, *contents, &manifest);
  ASSERT_EQ(scan.entries.size(), 3);
  EXPECT_EQ(scan.entries[1].path, "k.py");
  EXPECT_EQ(scan.entries[1].content, "def run(): pass\n");
  EXPECT_EQ(scan.entries[1].link_count, 1);
  EXPECT_THAT(scan.cuda_sources, ElementsAre("a.cu"));
  ASSERT_EQ(scan.entry_points.size(), 1);
  EXPECT_EQ(scan.entry_points[0].source, "k.py");
  EXPECT_EQ(scan.entry_points[0].function, "run");
  EXPECT_TRUE(scan.has_manifest);
}

TEST_F(ScanInputTest, IsLooseWithoutAManifest) {
  const auto contents = bundle::ReadTreeContents(root_);
  ASSERT_TRUE(contents) << FormatError(contents.error());
  EXPECT_FALSE(MakeScanBundle(root_, *contents, nullptr).has_manifest);
}

TEST_F(ScanInputTest, CapturesForSlotsThatAlwaysDoAndRowsThatSaySo) {
  EXPECT_TRUE(RunsUnderCapture(root_, Read("norm.rmsnorm")));
  EXPECT_FALSE(RunsUnderCapture(root_, Read("attention.sdpa")));
  Write("m.json", "{\"graph_safe\": true}");
  EXPECT_TRUE(RunsUnderCapture(root_, Read("attention.sdpa", "metadata = \"m.json\"\n")));
  Write("m.json", "{\"graph_safe\": \"unreadable\"}");
  EXPECT_TRUE(RunsUnderCapture(root_, Read("attention.sdpa", "metadata = \"m.json\"\n")));
}

}  // namespace
}  // namespace cacheon::policy
