// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/patch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bundle/golden_vectors_for_test.h"

namespace cacheon::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::string_view kHead = "--- a/d/f.c\n+++ b/d/f.c\n";

// "CODE LINE" of a refused patch.
std::string Outcome(std::string_view text) {
  const auto patch = ParsePatch(text);
  if (patch) return "accepted";
  return fmt::format("{} {}", patch.error().code.text(), patch.error().where.line);
}

std::string WithHead(std::string_view rest) { return fmt::format("{}{}", kHead, rest); }

TEST(Patch, ParsesAsTheGoldenVectorsSay) {
  const Json vectors = BundleVectors("dep_patch.json");
  for (const Json& row : vectors.Find("parse")->as_array()) {
    SCOPED_TRACE(row.Find("name")->as_string());
    const auto patch = ParsePatch(row.Find("patch")->as_string());
    if (row.Find("expect")->as_string() == "reject") {
      ASSERT_FALSE(patch);
      EXPECT_EQ(patch.error().code.text(), row.Find("code")->as_string());
      continue;
    }
    ASSERT_TRUE(patch);
    const Json::Array& files = row.Find("files")->as_array();
    ASSERT_EQ(patch->files.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(patch->files[i].path, files[i].Find("path")->as_string());
      EXPECT_EQ(patch->files[i].hunks.size(), files[i].Find("hunks")->as_array().size());
    }
  }
}

TEST(Patch, AppliesAsTheGoldenVectorsSay) {
  const Json vectors = BundleVectors("dep_patch.json");
  for (const Json& row : vectors.Find("apply")->as_array()) {
    SCOPED_TRACE(row.Find("name")->as_string());
    const auto patch = ParsePatch(row.Find("patch")->as_string());
    ASSERT_TRUE(patch);
    std::optional<std::string_view> original;
    if (row.Find("original")->is_string()) original = row.Find("original")->as_string();
    const auto result = ApplyPatchedFile(patch->files[0], original);
    if (row.Find("expect")->as_string() == "reject") {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code.text(), row.Find("code")->as_string());
    } else {
      EXPECT_EQ(*result, row.Find("result")->as_string());
    }
  }
}

TEST(Patch, RefusesLinesOutsideOfHunks) {
  EXPECT_EQ(Outcome("diff --git a/x b/x\nhello\n"), "patch.stray_line 2");
  EXPECT_EQ(Outcome("\nGIT binary patch\n"), "patch.binary 2");
  EXPECT_EQ(Outcome("rename to b\n"), "patch.rename 1");
  EXPECT_EQ(Outcome("copy to b\n"), "patch.copy 1");
  EXPECT_EQ(Outcome(WithHead("@@ -1 +1 @@\n-b\n+B\n\\ No newline at end of file\n")),
            "patch.no_eol_marker 6");
  EXPECT_EQ(Outcome("index 1..2\nold mode 1\nnew mode 2\n"), "patch.empty 1");
  EXPECT_EQ(Outcome(""), "patch.empty 1");
}

TEST(Patch, ChecksTheHeaderOfAFile) {
  EXPECT_EQ(Outcome("--- a/x\n"), "patch.missing_plus 1");
  EXPECT_EQ(Outcome("--- a/x\n\n+++ b/x\n"), "patch.missing_plus 1");
  EXPECT_EQ(Outcome("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), "patch.delete 1");
  EXPECT_EQ(Outcome("--- x\n+++ b/x\n"), "patch.prefix 1");
  EXPECT_EQ(Outcome("--- a/x\n+++ c/x\n"), "patch.prefix 1");
  EXPECT_EQ(Outcome("--- a//etc\n+++ b//etc\n"), "patch.path 1");
  EXPECT_EQ(Outcome(std::string_view("--- a/x\0y\n+++ b/x\0y\n", 20)), "patch.path 1");
  EXPECT_EQ(Outcome("--- a/d/../x\n+++ b/d/../x\n"), "patch.path_component 1");
  EXPECT_EQ(Outcome("--- /dev/null\n+++ b/../x\n"), "patch.path_component 1");
  EXPECT_EQ(Outcome("--- a/x\n+++ b/y\n"), "patch.rename 1");
  EXPECT_EQ(Outcome(WithHead("@@ -1 +1 @@\n-a\n+b\n") + WithHead("@@ -2 +2 @@\n-a\n+b\n")),
            "patch.duplicate_file 6");
}

TEST(Patch, ChecksHunks) {
  EXPECT_EQ(Outcome(WithHead("@@ -1,2 +1 @@\n a\nx\n")), "patch.hunk_line 5");
  EXPECT_EQ(Outcome(WithHead("@@ -1,2 +1 @@\n-a\n")), "patch.hunk_count 3");
  EXPECT_EQ(Outcome(WithHead("")), "patch.no_hunks 1");
  EXPECT_EQ(Outcome(WithHead("@@ -x +1 @@\n")), "patch.no_hunks 1");
  EXPECT_EQ(Outcome("--- /dev/null\n+++ b/n\n@@ -1,0 +1 @@\n+a\n"), "patch.new_file_range 3");
  EXPECT_EQ(Outcome("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n@@ -0,0 +2 @@\n+b\n"),
            "patch.new_file_hunks 1");
  EXPECT_EQ(Outcome(WithHead("@@ -99999999999999999999 +1 @@ f()\n-a\n+b\n")), "accepted");
  EXPECT_EQ(Outcome(WithHead("@@ -1,99999999999999999999 +1 @@\n-a\n")), "patch.hunk_count 3");
}

TEST(Patch, TakesAWhollyEmptyLineAsContext) {
  const auto patch = ParsePatch(WithHead("@@ -1,2 +1,2 @@\n\n-a\n+b\n"));
  ASSERT_TRUE(patch);
  EXPECT_EQ(*ApplyPatchedFile(patch->files[0], "\na\n"), "\nb\n");
}

// "CODE FILE:LINE" of an application that is refused.
std::string Application(std::string_view hunks, std::optional<std::string_view> original,
                        std::string_view head = kHead) {
  const auto patch = ParsePatch(fmt::format("{}{}", head, hunks));
  if (!patch) return "patch refused";
  const auto result = ApplyPatchedFile(patch->files[0], original);
  if (result) return *result;
  const Error& error = result.error();
  return fmt::format("{} {}:{}", error.code.text(), error.where.file, error.where.line);
}

TEST(Patch, AppliesExactlyOrNotAtAll) {
  EXPECT_EQ(Application("@@ -0,0 +1 @@\n+x\n", "a\n", "--- /dev/null\n+++ b/n\n"),
            "apply.exists n:0");
  EXPECT_EQ(Application("@@ -1 +1 @@\n-a\n+b\n", std::nullopt), "apply.missing d/f.c:0");
  EXPECT_EQ(Application("@@ -1 +1 @@\n-a\n+b\n", "a"), "apply.no_trailing_newline d/f.c:0");
  EXPECT_EQ(Application("@@ -2 +2 @@\n-b\n+B\n@@ -2 +2 @@\n-b\n+B\n", "a\nb\nc\n"),
            "apply.hunk_order d/f.c:2");
  EXPECT_EQ(Application("@@ -2,2 +2,2 @@\n b\n c\n", "a\nb\n"), "apply.range d/f.c:2");
  EXPECT_EQ(Application("@@ -1,2 +1,2 @@\n a\n-x\n+y\n", "a\nb\n"), "apply.context d/f.c:2");
  EXPECT_EQ(Application("@@ -2,0 +2 @@\n+x\n", "a\nb\n"), "a\nx\nb\n");
}

TEST(Patch, AppliesPatchesOnTopOfEachOther) {
  const auto first = ParsePatch("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
  const auto second = ParsePatch(
      "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-b\n+c\n"
      "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n");
  const std::vector<Patch> patches = {*first, *second};
  const auto read = [](std::string_view path) -> Result<std::optional<std::string>> {
    return path == "f" ? std::optional<std::string>("a\n") : std::nullopt;
  };
  EXPECT_THAT(*ApplyPatches(patches, read), ElementsAre(Pair("f", "c\n"), Pair("n", "x\n")));
  const std::vector<Patch> reversed = {*second, *first};
  const auto failed = ApplyPatches(reversed, read);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code("apply.context"));
}

TEST(Patch, AllowsOnlyReviewedTargets) {
  const auto outcome = [](std::string_view target, std::string_view path) -> std::string {
    const auto patch = ParsePatch(fmt::format("--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n", path));
    const Status status = CheckPatchPolicy(target, *patch);
    return status ? "allowed"
                  : fmt::format("{} {}", status.error().code.text(), status.error().where.line);
  };
  EXPECT_EQ(outcome("flashinfer", "flashinfer/data/csrc/fused_moe/deep/x.cu"), "allowed");
  EXPECT_EQ(outcome("sglang", "flashinfer/data/csrc/fused_moe/x.cu"), "patch.policy_target 0");
  EXPECT_EQ(outcome("flashinfer", "flashinfer/x.py"), "patch.policy_subtree 1");
  EXPECT_EQ(outcome("flashinfer", "flashinfer/data/csrc/x.cu"), "patch.policy_glob 1");
}

TEST(Patch, TranslatesNewlines) { EXPECT_EQ(UniversalNewlines("a\r\nb\rc\n\r"), "a\nb\nc\n\n"); }

TEST(Patch, EndsOnHostileText) {
  EXPECT_EQ(Outcome(std::string(1U << 20U, '\n')), "patch.empty 1");
  std::string many;
  for (int i = 0; i < 20'000; ++i) {
    many += fmt::format("--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-a\n+b\n", i);
  }
  EXPECT_EQ(Outcome(many), "accepted");
  EXPECT_EQ(Outcome(WithHead("@@ -1,200000 +1,200000 @@\n" + std::string(400'000, '\n'))),
            "accepted");
}

}  // namespace
}  // namespace cacheon::bundle
