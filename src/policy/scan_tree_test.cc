// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules about the files of a bundle, its patches, and the report as a whole.

#include "src/policy/scan_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/policy/scan_rules.h"
#include "src/policy/scan_test_bundle.h"

namespace cacheon::policy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "code file"
std::vector<std::string> Check(const ScanBundle& bundle,
                               bundle::Mode mode = bundle::Mode::kStrict) {
  std::vector<std::string> found;
  for (const Error& error : CheckTree(bundle, mode))
    found.push_back(fmt::format("{} {}", error.code.text(), error.where.file));
  return found;
}

std::vector<std::string> CheckFile(const std::string& path, const std::string& content = "",
                                   bundle::Mode mode = bundle::Mode::kStrict) {
  return Check(MakeTestBundle({{path, content}}), mode);
}

TEST(TreeRules, AcceptsWhatABundleHolds) {
  EXPECT_THAT(Check(MakeTestBundle({{"manifest.toml", ""},
                                    {"rebuild.json", "{}"},
                                    {".gitignore", ""},
                                    {"README.md", "MZ begins this text"},
                                    {"LICENSE", ""},
                                    {"metadata/k.json", "{}"},
                                    {"ops/k.py", ""},
                                    {"ops/k_unit.cu", ""},
                                    {"ops/tile.cuh", ""}})),
              IsEmpty());
}

TEST(TreeRules, RefusesKindsOfEntries) {
  ScanBundle bundle = MakeTestBundle({{"a.py", ""}, {"b.py", ""}, {"c.py", ""}});
  bundle.entries[0].kind = bundle::EntryKind::kSymlink;
  bundle.entries[1].kind = bundle::EntryKind::kOther;
  bundle.entries[2].link_count = 2;
  EXPECT_THAT(Check(bundle),
              ElementsAre("tree.symlink a.py", "tree.nonregular b.py", "tree.hardlink c.py"));
  EXPECT_THAT(Check(bundle, bundle::Mode::kCompat), ElementsAre("tree.symlink a.py"));
}

TEST(TreeRules, RefusesBinariesByNameAndContent) {
  EXPECT_THAT(CheckFile("k.so", "", bundle::Mode::kCompat), ElementsAre("tree.binary k.so"));
  EXPECT_THAT(CheckFile("k.SO"), ElementsAre("tree.binary_suffix_ext k.SO"));
  EXPECT_THAT(CheckFile("a/w.pth"), ElementsAre("tree.binary_suffix_ext a/w.pth"));
  EXPECT_THAT(CheckFile("k.py",
                        "\x7f"
                        "ELF\x02"),
              ElementsAre("tree.binary_magic k.py"));
  EXPECT_THAT(CheckFile("README", "\x80\x04\x95"), ElementsAre("tree.binary_magic README"));
  EXPECT_THAT(CheckFile("LICENSE", std::string("\x20\0\0\0\0\0\0\0{\"", 10)),
              ElementsAre("tree.binary_magic LICENSE"));
}

TEST(TreeRules, RefusesWhatNobodyDeclared) {
  ScanBundle bundle =
      MakeTestBundle({{"k.cu", ""}, {"a.patch", ""}, {"run.sh", ""}, {"LICENSE.sh", ""}});
  bundle.cuda_sources.clear();
  EXPECT_THAT(Check(bundle),
              ElementsAre("tree.cuda_undeclared k.cu", "tree.patch_undeclared a.patch",
                          "tree.unsanctioned_file run.sh", "tree.benign LICENSE.sh"));
  bundle.has_manifest = false;
  EXPECT_THAT(Check(bundle), IsEmpty());
}

TEST(TreeRules, RefusesStrangePaths) {
  for (const std::string& path :
       {std::string("/k.py"), std::string("a//k.py"), std::string("../k.py"),
        std::string("a/./k.py"), std::string("a\\k.py"), std::string("-k.py"),
        std::string("a/-k.py"), std::string("._k.py"), std::string("k\x01.py"),
        std::string("\xC3\xA4.py"), std::string(4096, 'a') + ".py",
        std::string("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/k.py"), std::string("k .py")}) {
    EXPECT_THAT(CheckFile(path), Contains("tree.path " + path)) << path;
    EXPECT_THAT(CheckFile(path, "", bundle::Mode::kCompat), IsEmpty()) << path;
  }
  EXPECT_THAT(CheckFile("a+b/c-d_e.f.py"), IsEmpty());
}

TEST(TreeRules, RefusesCompiledFilesAndRepositories) {
  EXPECT_THAT(CheckFile("__pycache__/k.cpython-311.pyc"),
              ElementsAre("tree.pycache __pycache__/k.cpython-311.pyc"));
  EXPECT_THAT(CheckFile("a/.git/config"), ElementsAre("tree.pycache a/.git/config"));
  EXPECT_THAT(CheckFile("a/.github.py"), IsEmpty());
}

TEST(TreeRules, RefusesNamesThatMeanTwoThings) {
  EXPECT_THAT(Check(MakeTestBundle({{"k.py", ""}, {"K.py", ""}})),
              ElementsAre("tree.casefold K.py"));
  EXPECT_THAT(CheckFile("torch.py"), ElementsAre("tree.shadow torch.py"));
  EXPECT_THAT(CheckFile("json/__init__.py"), IsEmpty());  // its folder is an entry of its own
  ScanBundle folder = MakeTestBundle({{"math", ""}});
  folder.entries[0].kind = bundle::EntryKind::kDirectory;
  EXPECT_THAT(Check(folder), ElementsAre("tree.shadow math"));
  EXPECT_THAT(CheckFile("ops/torch.py"), IsEmpty());
  EXPECT_THAT(Check(MakeTestBundle({{"a/k.cu", ""}, {"b/k.cu", ""}})),
              ElementsAre("tree.stem_clash b/k.cu"));
  EXPECT_THAT(Check(MakeTestBundle({{"k.cu", ""}, {"k.py", ""}})),
              ElementsAre("tree.stem_clash k.cu"));
}

TEST(TreeRules, BoundsTheTree) {
  TestFiles files;
  for (int i = 0; i < 513; ++i) files.emplace_back(fmt::format("f{}.py", i), "");
  EXPECT_THAT(Check(MakeTestBundle(files)), ElementsAre("tree.limit "));
  EXPECT_THAT(CheckFile("README", std::string((8U << 20U) + 1, 'a')),
              ElementsAre("tree.limit README"));
  EXPECT_THAT(Check(MakeTestBundle(files), bundle::Mode::kCompat), IsEmpty());
}

constexpr std::string_view kPatchHead =
    "--- a/flashinfer/data/csrc/fused_moe/moe.cu\n+++ b/flashinfer/data/csrc/fused_moe/moe.cu\n";

std::vector<std::string> CheckPatch(const std::string& text, std::string_view original = "") {
  ScanBundle bundle = MakeTestBundle({{"a.patch", text}});
  bundle.dep_patches = {{"flashinfer", "a.patch"}};
  ScanOptions options;
  options.dependency = [original](std::string_view) -> Result<std::optional<std::string>> {
    return std::string(original);
  };
  auto report = Scanner(options).Scan(bundle);
  return report ? Briefs(*report) : std::vector<std::string>{FormatError(report.error())};
}

TEST(PatchRules, AppliesAndScansTheResult) {
  const std::string head(kPatchHead);
  EXPECT_THAT(CheckPatch(head + "@@ -1,2 +1,2 @@\n int a;\n-int b;\n+int c;\n", "int a;\nint b;\n"),
              IsEmpty());
  EXPECT_THAT(CheckPatch(head + "@@ -1,1 +1,1 @@\n-int a;\n+int a = f();\n", "int a;\n"),
              ElementsAre("dep.added_cuda 1:1"));
  // What the pinned file already has is not the bundle's.
  EXPECT_THAT(CheckPatch(head + "@@ -1,2 +1,2 @@\n int a = f();\n-int b;\n+int c;\n",
                         "int a = f();\nint b;\n"),
              IsEmpty());
  EXPECT_THAT(CheckPatch(head + "@@ -1,1 +1,1 @@\n-int x;\n+int y;\n", "int a;\n"),
              Contains(HasSubstr("apply.context")));
}

TEST(PatchRules, RefusesWhatTheGrammarSkips) {
  const std::string head(kPatchHead);
  EXPECT_THAT(CheckPatch("new file mode 100755\n" + head + "@@ -1 +1 @@\n-a\n+b\n", "a\n"),
              Contains("dep.construct 1:1"));
  EXPECT_THAT(CheckPatch(head + "@@ -1,2 +1,2 @@\n\n-a\n+b\n", "\na\n"),
              Contains("dep.context 4:1"));
  EXPECT_THAT(CheckPatch(head + "@@ -1 +7 @@\n-a\n+b\n", "a\n"), Contains("dep.newstart 3:1"));
  EXPECT_THAT(
      CheckPatch("--- /dev/null\n+++ b/flashinfer/data/csrc/fused_moe/gen.py\n@@ -0,0 +1 @@\n+a\n"),
      Contains("dep.glob 1:1"));
  EXPECT_THAT(
      CheckPatch("--- /dev/null\n+++ b/flashinfer/data/csrc/fused_moe/a/k.cu\n@@ -0,0 +1 @@\n+a\n"),
      Contains("dep.glob 1:1"));
  EXPECT_THAT(CheckPatch(head + "@@ -1 +1 @@\n-a\n+" + std::string(9000, 'b') + "\n", "a\n"),
              Contains("dep.limit 5:1"));
}

TEST(PatchRules, RefusesTwoPatchesOfOneFile) {
  const std::string text = std::string(kPatchHead) + "@@ -1 +1 @@\n-a\n+b\n";
  ScanBundle bundle = MakeTestBundle({{"a.patch", text}, {"b.patch", text}});
  bundle.dep_patches = {{"flashinfer", "a.patch"}, {"flashinfer", "b.patch"}};
  const ScanReport report = ScanTestBundle(bundle);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].where.file, "b.patch");
  EXPECT_EQ(Brief(report.findings[0]), "dep.dup 1:1");
}

TEST(Scan, SortsFindingsAndKeepsBundlesApart) {
  std::vector<ScanBundle> bundles;
  for (int i = 0; i < 20; ++i) {
    bundles.push_back(
        MakeTestBundle({{"b.py", "import socket\nimport gc\n"}, {"a.py", "x = 1\n"}}));
    if (i % 2 == 1) bundles.back().entries.pop_back();
  }
  auto reports = Scanner(ScanOptions{}).Scan(bundles);
  ASSERT_TRUE(reports);
  for (std::size_t i = 0; i < reports->size(); ++i) {
    EXPECT_THAT(Briefs((*reports)[i]), ElementsAre("py.import_denied 1:8", "py.import_denied 2:8"));
    EXPECT_EQ((*reports)[i].files.size(), i % 2 == 1 ? 1U : 2U);
    EXPECT_EQ((*reports)[i].files.back().path, "b.py");
  }
}

TEST(Scan, FailsWithoutAParser) {
  ScanOptions options;
  options.interpreter = "/missing/python3";
  const auto report = Scanner(options).Scan(MakeTestBundle({{"k.py", ""}}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code("scan.parser_unavailable"));
}

TEST(ScanRules, MatchesTheThreeFormsOfWords) {
  NameList list;
  for (const char* word : {"a.b", "c.d.*", "ef*"}) list.Add(word);
  for (const char* name : {"a.b", "c.d", "c.d.e.f", "ef", "efg.h"})
    EXPECT_TRUE(list.Has(name)) << name;
  for (const char* name : {"a", "a.b.c", "c", "c.dd", "e", ""})
    EXPECT_FALSE(list.Has(name)) << name;
}

TEST(ScanRules, HaveADigest) {
  EXPECT_EQ(ScanPolicyDigest().size(), 64U);
  EXPECT_EQ(ScanPolicyDigest(), ScanPolicyDigest());
}

}  // namespace
}  // namespace cacheon::policy
