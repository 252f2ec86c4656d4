// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> PathsOf(const std::vector<TreeEntry>& entries) {
  std::vector<std::string> paths;
  for (const TreeEntry& entry : entries) paths.push_back(entry.path);
  return paths;
}

std::vector<std::string> CodesAndFiles(const std::vector<Error>& errors) {
  std::vector<std::string> found;
  for (const Error& error : errors) {
    found.push_back(std::string(error.code.text()) + " " + error.where.file);
  }
  return found;
}

TEST(Tree, ListsInComponentOrder) {
  const ScratchTree tree;
  for (const char* path : {"a0", "a.b", "a-b/x", "a b", "a/x"}) tree.File(path, "");
  EXPECT_THAT(PathsOf(*ListTree(tree.root())),
              ElementsAre("a", "a/x", "a b", "a-b", "a-b/x", "a.b", "a0"));
}

TEST(Tree, OrdersPathsByComponent) {
  EXPECT_TRUE(HashOrderLess("kernels/k.py", "kernels.py"));
  EXPECT_TRUE(HashOrderLess("a", "a/x"));
  EXPECT_TRUE(HashOrderLess("a/x", "a b"));
  EXPECT_FALSE(HashOrderLess("a", "a"));
  EXPECT_TRUE(OrdersDiffer({"a/x", "a b"}));
  EXPECT_FALSE(OrdersDiffer({"a", "b/x"}));
}

TEST(Tree, EntersNoiseOnlyWhenAsked) {
  const ScratchTree tree;
  tree.File(".git/config", "");
  tree.File("k.py", "");
  EXPECT_THAT(PathsOf(*ListTree(tree.root())), ElementsAre(".git", "k.py"));
  const auto all = ListTree(tree.root(), Descend::kAll);
  EXPECT_THAT(PathsOf(*all), ElementsAre(".git", ".git/config", "k.py"));
  EXPECT_TRUE((*all)[1].excluded);
  EXPECT_FALSE((*all)[2].excluded);
}

TEST(Tree, ReportsKindsWithoutFollowing) {
  const ScratchTree tree;
  tree.Directory("d");
  tree.Symlink("l", "d");
  tree.Fifo("p");
  tree.File("f", "12345");
  const auto entries = ListTree(tree.root());
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ((*entries)[0].kind, EntryKind::kDirectory);
  EXPECT_EQ((*entries)[1].kind, EntryKind::kFile);
  EXPECT_EQ((*entries)[1].size_bytes, 5U);
  EXPECT_EQ((*entries)[2].kind, EntryKind::kSymlink);
  EXPECT_EQ((*entries)[3].kind, EntryKind::kOther);
}

TEST(Tree, ExcludesNoiseByNameAndSuffix) {
  for (const char* noise : {"__pycache__/x", "a/.git/b", ".git", "x.pyc", "x.pyo", "..pyc",
                            "...pyc", "a..pyc", "._x", "d/._x"}) {
    EXPECT_TRUE(IsExcludedPath(noise)) << noise;
  }
  for (const char* kept : {".pyc", "x.pyc.", "x.pyc/k", "._d/k", ".gitignore", ".DS_Store", "x.pyd",
                           "x.PYC", "__pycache__x"}) {
    EXPECT_FALSE(IsExcludedPath(kept)) << kept;
  }
}

TEST(Tree, RefusesToNestWithoutBound) {
  const ScratchTree tree;
  std::string path = "d";
  for (int i = 0; i < kMaxTreeDepth; ++i) path += "/d";
  tree.Directory(path);
  const auto result = ListTree(tree.root());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code("tree.too_deep"));
  EXPECT_EQ(result.error().where.file, path);
}

TEST(Tree, RefusesMoreEntriesThanTheLimit) {
  const ScratchTree tree;
  for (const char* path : {"a", "d/b", "d/c"}) tree.File(path, "");
  EXPECT_TRUE(ListTree(tree.root(), Descend::kKept, 4).has_value());
  const auto result = ListTree(tree.root(), Descend::kKept, 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code("tree.too_many_entries"));
  EXPECT_EQ(result.error().where.file, "d");
}

TEST(Tree, HandlesPathsLongerThanTheSystemTakesAtOnce) {
  const ScratchTree tree;
  const std::string name(250, 'n');
  std::string path = tree.root();
  ASSERT_EQ(chdir(path.c_str()), 0);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(mkdir(name.c_str(), 0700), 0);
    ASSERT_EQ(chdir(name.c_str()), 0);
  }
  std::ofstream("k.py") << "x";
  ASSERT_EQ(chdir("/"), 0);
  const auto entries = ListTree(tree.root());
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->back().path.size(), 20 * 251 + 4U);
}

TEST(Tree, ContributionHasNoLinksSpecialFilesOrNoise) {
  const ScratchTree tree;
  tree.File("a\\b", "");
  tree.File("._d/k.py", "");
  tree.Symlink("l", "k.py");
  tree.Fifo("p");
  tree.File("__pycache__/skipped", "");
  EXPECT_THAT(CodesAndFiles(CheckContributionTree(tree.root())),
              ElementsAre("tree.path_not_canonical ._d", "tree.path_not_canonical a\\b",
                          "tree.symlink l", "tree.nonregular p"));
}

TEST(Tree, ContributionHasAFile) {
  const ScratchTree tree;
  tree.Directory("d");
  EXPECT_THAT(CodesAndFiles(CheckContributionTree(tree.root())),
              ElementsAre("tree.empty " + tree.root()));
}

TEST(Tree, ContributionRootIsNoLink) {
  const ScratchTree tree;
  tree.File("d/k.py", "");
  tree.Symlink("link", "d");
  EXPECT_THAT(CodesAndFiles(CheckContributionTree(tree.Path("link"))),
              ElementsAre("tree.symlink " + tree.Path("link")));
}

TEST(Tree, CanonicalPathsHaveOneSpelling) {
  for (const char* good : {"k.py", "a/b/c", ".gitignore", "a b", "..k"}) {
    EXPECT_TRUE(IsCanonicalPath(good)) << good;
  }
  for (const char* bad : {"", "/k", "a//b", "a/", "./a", "a/../b", "a\\b", "x.pyc", ".git/x"}) {
    EXPECT_FALSE(IsCanonicalPath(bad)) << bad;
  }
}

}  // namespace
}  // namespace cacheon::bundle
