// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

TEST(DecodeBase64, ReadsEveryPadding) {
  EXPECT_EQ(DecodeBase64("").value(), "");
  EXPECT_EQ(DecodeBase64("Zg==").value(), "f");
  EXPECT_EQ(DecodeBase64("Zm8=").value(), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v+/+/").value(), "foo\xfb\xff\xbf");
}

TEST(DecodeBase64, RefusesWhatIsNoBase64) {
  for (const char* text : {"Zg", "Z===", "Zg=a", "Z?==", "Zg==Zg==", "===="}) {
    EXPECT_EQ(DecodeBase64(text).error().code, Code("conformance.form")) << text;
  }
}

TEST(ScratchTree, WritesTheTreeOfACaseAndRemovesIt) {
  std::string root;
  {
    const ScratchTree tree = ScratchTree::Create().value();
    root = tree.root();
    const Json the_case = ReadJson(R"({"files":{"a/b.py":"x"},"files_base64":{"c":"AA=="},
                                       "symlinks":{"d":"a/b.py"},"manifest":"m"})")
                              .value();
    ASSERT_TRUE(tree.Populate(the_case).has_value());
    EXPECT_EQ(ReadFile(root + "/d", 10).value(), "x");
    EXPECT_EQ(ReadFile(root + "/c", 10).value(), std::string(1, '\0'));
    EXPECT_EQ(ReadFile(root + "/manifest.toml", 10).value(), "m");
  }
  EXPECT_FALSE(std::filesystem::exists(root));
}

TEST(RunDirectory, NamesAMissingDirectory) {
  const auto results = RunDirectory("/nonexistent-vectors");
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, Code("io.open"));
  EXPECT_EQ(results.error().where.file, "/nonexistent-vectors");
}

TEST(RunDirectory, ReportsFilesThatNoRunnerKnows) {
  const ScratchTree tree = ScratchTree::Create().value();
  ASSERT_TRUE(tree.WriteFile("strange/unknown.json", "{}").has_value());
  const auto results = RunDirectory(tree.root()).value();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_THAT(results[0].problem, testing::HasSubstr("no runner"));
}

TEST(CodesAgree, FollowsAliasesOfOurCode) {
  EXPECT_TRUE(CodesAgree("io.open", "io.open"));
  EXPECT_FALSE(CodesAgree("io.open", "io.read"));
}

}  // namespace
}  // namespace cacheon::conformance
