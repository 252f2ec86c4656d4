// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/declared_path.h"

#include <gtest/gtest.h>

#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

class DeclaredPathTest : public ::testing::Test {
 protected:
  DeclaredPathTest() {
    tree_.File("k.py", "");
    tree_.File("d/k.cu", "");
  }
  // The resolved path or the code.
  std::string Resolve(std::string_view text, PathUse use = PathUse::kPlain) {
    const auto path = BundleRoot::Open(tree_.root())->Resolve(text, use);
    return path ? path->resolved : std::string(path.error().code.text());
  }
  ScratchTree tree_;
};

TEST_F(DeclaredPathTest, DropsWhatMeansNothing) {
  for (const char* spelling : {"k.py", "./k.py", "k.py/", ".//k.py/.", "absent/../k.py",
                               "d/../k.py", "k.py/../k.py", "absent/./../d/../k.py"}) {
    EXPECT_EQ(Resolve(spelling), "k.py") << spelling;
  }
  EXPECT_EQ(Resolve("d//k.cu"), "d/k.cu");
}

TEST_F(DeclaredPathTest, FollowsLinksInsideOnly) {
  tree_.Symlink("in", "d/k.cu");
  tree_.Symlink("dir", "d");
  tree_.Symlink("absolute", tree_.Path("d"));
  tree_.Symlink("out", "../..");
  tree_.Symlink("d/up", "..");
  EXPECT_EQ(Resolve("in"), "d/k.cu");
  EXPECT_EQ(Resolve("dir/k.cu"), "d/k.cu");
  EXPECT_EQ(Resolve("absolute/k.cu"), "d/k.cu");
  EXPECT_EQ(Resolve("dir/up/k.py"), "k.py");
  EXPECT_EQ(Resolve("out/etc/passwd"), "manifest.path_escape");
  EXPECT_EQ(Resolve("in", PathUse::kCuda), "manifest.path_symlink");
  EXPECT_EQ(Resolve("dir/k.cu", PathUse::kCuda), "d/k.cu");
}

TEST_F(DeclaredPathTest, EndsOnLoopsAndLongPaths) {
  tree_.Symlink("self", "self");
  tree_.Symlink("a", "b/x");
  tree_.Symlink("b", "a/x");
  EXPECT_EQ(Resolve("self"), "manifest.path_not_found");
  EXPECT_EQ(Resolve("a/k"), "manifest.path_not_found");
  EXPECT_EQ(Resolve(std::string(4096, 'a')), "manifest.path_not_found");
  std::string up;
  for (int i = 0; i < 1000; ++i) up += "../";
  EXPECT_EQ(Resolve(up + "etc/passwd"), "manifest.path_escape");
}

TEST_F(DeclaredPathTest, TakesRegularFilesOnly) {
  tree_.Fifo("pipe");
  EXPECT_EQ(Resolve("d"), "manifest.path_not_file");
  EXPECT_EQ(Resolve("."), "manifest.path_not_file");
  EXPECT_EQ(Resolve("pipe"), "manifest.path_not_file");
  EXPECT_EQ(Resolve("k.py", PathUse::kPatch), "manifest.path_suffix");
  EXPECT_EQ(Resolve("k.py", PathUse::kCuda), "manifest.path_suffix");
}

TEST_F(DeclaredPathTest, DoesNotTakeASiblingForAChild) {
  const ScratchTree outer;
  outer.File("b/k.py", "");
  outer.File("bundle/x", "");
  const auto root = BundleRoot::Open(outer.Path("b"));
  EXPECT_EQ(root->Resolve("../bundle/x", PathUse::kPlain).error().code,
            Code("manifest.path_escape"));
  EXPECT_EQ(BundleRoot::Open(outer.Path("b/k.py")).error().code,
            Code("manifest.root_not_directory"));
}

}  // namespace
}  // namespace cacheon::bundle
