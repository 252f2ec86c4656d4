// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/tree_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cacheon/bundle/archive.h"
#include "cacheon/bundle/content_hash.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> PathsOf(const TreeContents& tree) {
  std::vector<std::string> paths;
  for (const TreeEntry& entry : tree.entries) paths.push_back(entry.path);
  return paths;
}

TEST(TreeContents, HasTheHashOfTheTreeAndTheBytesOfEachFile) {
  const ScratchTree tree;
  tree.File("a/kernel.py", "pass\n");
  tree.File("manifest.toml", "x = 1\n");
  tree.File("._noise", "noise");
  const auto contents = ReadTreeContents(tree.root());
  ASSERT_TRUE(contents) << FormatError(contents.error());
  const auto identity = HashTree(tree.root());
  ASSERT_TRUE(identity);
  EXPECT_EQ(contents->content_hash, identity->hash);
  EXPECT_EQ(contents->content_bytes, identity->content_bytes);
  EXPECT_THAT(PathsOf(*contents), ElementsAre("._noise", "a", "a/kernel.py", "manifest.toml"));
  EXPECT_THAT(contents->contents, ElementsAre("noise", "", "pass\n", "x = 1\n"));
}

TEST(TreeContents, OpensNoLinkAndNoPipe) {
  const ScratchTree tree;
  tree.File("kernel.py", "pass\n");
  tree.Symlink("link.py", "/etc/passwd");
  tree.Fifo("pipe");  // opening it would wait for a writer
  const auto contents = ReadTreeContents(tree.root());
  ASSERT_TRUE(contents) << FormatError(contents.error());
  EXPECT_THAT(contents->contents, ElementsAre("pass\n", "", ""));
}

TEST(TreeContents, RefusesWhatAnArchiveCouldNotHoldBeforeReadingIt) {
  const ScratchTree tree;
  tree.File("kernel.py", "pass\n");
  tree.File("weights.bin", "");
  ASSERT_EQ(truncate(tree.Path("weights.bin").c_str(), std::int64_t{1} << 40), 0);
  const auto contents = ReadTreeContents(tree.root());
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code.text(), "archive.file_too_large");
  EXPECT_EQ(contents.error().where.file, "weights.bin");
}

TEST(TreeContents, RefusesMoreFilesThanAnArchiveMayHold) {
  const ScratchTree tree;
  for (std::uint64_t i = 0; i <= kMaxMembers; ++i) tree.File(std::to_string(i), "");
  const auto contents = ReadTreeContents(tree.root());
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code.text(), "archive.too_many_members");
}

TEST(TreeContents, RefusesATreeWithoutIdentity) {
  const ScratchTree tree;
  tree.File("__pycache__/kernel.pyc", "");
  const auto contents = ReadTreeContents(tree.root());
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code.text(), "bundle.empty");
}

}  // namespace
}  // namespace cacheon::bundle
