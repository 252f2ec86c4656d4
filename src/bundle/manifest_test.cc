// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/manifest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cacheon/bundle/patch.h"
#include "src/bundle/fake_artifact_rows_for_test.h"
#include "src/bundle/golden_vectors_for_test.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kHead = "bundle_id = \"b\"\nabi_version = \"cacheon-op-abi-v0\"\n";
// Lines 3 to 6 of a document; what is appended starts on line 7.
constexpr std::string_view kRow = "[[ops]]\nslot = \"s\"\nsource = \"k.py\"\nentry = \"run\"\n";

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() { tree_.File("k.py", "x"); }

  ManifestReading Read(std::string_view manifest, Mode mode = Mode::kCompat) {
    tree_.File("manifest.toml", manifest);
    return ReadManifest(tree_.root(), {.mode = mode, .artifact_rows = &checker_});
  }
  ManifestReading ReadRow(std::string_view more, Mode mode = Mode::kCompat) {
    return Read(fmt::format("{}{}{}", kHead, kRow, more), mode);
  }

  static std::vector<std::string> Show(const std::vector<Error>& errors) {
    std::vector<std::string> shown;
    for (const Error& error : errors) {
      shown.push_back(fmt::format("{} {}:{}:{} {}", error.code.text(), error.where.file,
                                  error.where.line, error.where.column, error.where.key_path));
    }
    return shown;
  }
  // The errors of a manifest that is refused.
  std::vector<std::string> ErrorsOf(std::string_view manifest) {
    const ManifestReading reading = Read(manifest);
    EXPECT_FALSE(reading.manifest);
    return Show(reading.errors);
  }
  std::vector<std::string> ErrorsOfRow(std::string_view more) {
    return ErrorsOf(fmt::format("{}{}{}", kHead, kRow, more));
  }
  std::vector<std::string> WarningsOf(std::string_view manifest) {
    const ManifestReading reading = Read(manifest, Mode::kStrict);
    EXPECT_TRUE(reading.manifest);
    EXPECT_THAT(Read(manifest, Mode::kCompat).warnings, IsEmpty());
    return Show(reading.warnings);
  }

  ScratchTree tree_;
  FakeArtifactRows checker_;
};

bool NeedsArtifactModule(const Json& row) {
  const Json* manifest = row.Find("manifest");
  if (manifest == nullptr || !manifest->is_string()) return false;
  return manifest->as_string().find("aot_exports") != std::string::npos ||
         manifest->as_string().find("artifact_resources") != std::string::npos;
}

void WriteTree(const ScratchTree& tree, const Json& row) {
  const auto each = [&](std::string_view key, auto write) {
    const Json* map = row.Find(key);
    if (map == nullptr || !map->is_object()) return;
    for (const auto& [path, value] : map->as_object()) write(path, value.as_string());
  };
  each("files", [&](auto& path, auto& text) { tree.File(path, text); });
  each("files_base64", [&](auto& path, auto& text) { tree.File(path, DecodeBase64(text)); });
  each("symlinks", [&](auto& path, auto& target) { tree.Symlink(path, target); });
  if (const Json* raw = row.Find("manifest_base64"); raw != nullptr && raw->is_string()) {
    tree.File("manifest.toml", DecodeBase64(raw->as_string()));
  } else if (const Json* text = row.Find("manifest"); text != nullptr && text->is_string()) {
    tree.File("manifest.toml", text->as_string());
  }
}

TEST(ManifestVectors, AgreesWhereNoArtifactRowIsNeeded) {
  const FakeArtifactRows checker;
  const Json vectors = BundleVectors("manifest.json");
  int compared = 0;
  for (const Json& row : vectors.Find("cases")->as_array()) {
    if (NeedsArtifactModule(row)) continue;
    ++compared;
    SCOPED_TRACE(row.Find("name")->as_string());
    const ScratchTree tree;
    WriteTree(tree, row);
    const auto reading =
        ReadManifest(tree.root(), {.mode = Mode::kCompat, .artifact_rows = &checker});
    if (row.Find("expect")->as_string() == "reject") {
      ASSERT_FALSE(reading.errors.empty());
      EXPECT_EQ(reading.errors[0].code.text(), row.Find("code")->as_string());
    } else {
      ASSERT_TRUE(reading.manifest) << FormatError(reading.errors[0]);
      EXPECT_EQ(ManifestJson(*reading.manifest), *row.Find("parsed"));
    }
  }
  EXPECT_GT(compared, 60);
}

TEST_F(ManifestTest, ReportsAllIndependentErrorsInOrder) {
  EXPECT_THAT(ErrorsOf("bundle_id = \"a b\"\n"
                       "[[ops]]\n"
                       "slot = \" \"\n"
                       "source = \"/k.py\"\n"
                       "entyr = \"run\"\n"
                       "dtypes = [1, \"f32\", \" \"]\n"
                       "[competition]\n"
                       "mode = \"slots\"\n"),
              ElementsAre("manifest.bundle_id_charset manifest.toml:1:13 bundle_id",
                          "manifest.unknown_abi manifest.toml:1:1 abi_version",
                          "manifest.op_slot_missing manifest.toml:3:8 ops[0].slot",
                          "manifest.op_entry_identifier manifest.toml:2:1 ops[0].entry",
                          "manifest.path_absolute manifest.toml:4:10 ops[0].source",
                          "manifest.op_string_array_item manifest.toml:6:11 ops[0].dtypes[0]",
                          "manifest.op_string_array_item manifest.toml:6:21 ops[0].dtypes[2]",
                          "manifest.competition_target_type manifest.toml:7:1 competition.target",
                          "manifest.competition_mode_value manifest.toml:8:8 competition.mode"));
}

TEST_F(ManifestTest, SuggestsTheKeyThatWasMeant) {
  const auto reading = Read(std::string(kHead) +
                            "[[ops]]\nslto = \"s\"\nsource = \"k.py\"\n"
                            "entry = \"run\"\n");
  ASSERT_EQ(reading.errors.size(), 1U);
  EXPECT_THAT(reading.errors[0].hint, HasSubstr("`slto` looks like a misspelling of `slot`"));
}

TEST_F(ManifestTest, CountsColumnsInCodePoints) {
  EXPECT_THAT(ErrorsOf(std::string(kHead) + "ops = [ \"\u00e9\u4e2d\", { slot = \"\" } ]\n"),
              ElementsAre("manifest.op_not_table manifest.toml:3:9 ops[0]",
                          "manifest.op_slot_missing manifest.toml:3:24 ops[1].slot",
                          "manifest.op_source_missing manifest.toml:3:15 ops[1].source",
                          "manifest.op_entry_identifier manifest.toml:3:15 ops[1].entry"));
}

TEST_F(ManifestTest, NeedsADirectoryAndAFile) {
  const auto missing = ReadManifest(tree_.root(), {.artifact_rows = &checker_});
  EXPECT_THAT(Show(missing.errors), ElementsAre("manifest.missing manifest.toml:0:0 "));
  const auto no_root = ReadManifest(tree_.Path("k.py"), {.artifact_rows = &checker_});
  EXPECT_THAT(Show(no_root.errors),
              ElementsAre("manifest.root_not_directory " + tree_.Path("k.py") + ":0:0 "));
}

TEST_F(ManifestTest, NeedsIdentity) {
  EXPECT_THAT(ErrorsOf("bundle_id = \" \"\nabi_version = \"v1\"\n" + std::string(kRow)),
              ElementsAre("manifest.bundle_id_missing manifest.toml:1:13 bundle_id",
                          "manifest.unknown_abi manifest.toml:2:15 abi_version"));
}

TEST_F(ManifestTest, NeedsOps) {
  EXPECT_THAT(ErrorsOf(kHead), ElementsAre("manifest.ops_missing manifest.toml:1:1 ops"));
  EXPECT_THAT(ErrorsOf(std::string(kHead) + "ops = [2026-01-02]\n"),
              ElementsAre("manifest.op_not_table manifest.toml:3:8 ops[0]"));
}

TEST_F(ManifestTest, ChecksNamesOfFunctions) {
  EXPECT_THAT(ErrorsOf(std::string(kHead) +
                       "[[ops]]\nslot = \"s\"\nentry = \"9\"\nprepare = \"\"\nsetup = \"a.b\"\n"),
              ElementsAre("manifest.op_source_missing manifest.toml:3:1 ops[0].source",
                          "manifest.op_entry_identifier manifest.toml:5:9 ops[0].entry",
                          "manifest.op_prepare_identifier manifest.toml:6:11 ops[0].prepare",
                          "manifest.op_setup_identifier manifest.toml:7:9 ops[0].setup"));
}

TEST_F(ManifestTest, ChecksVariants) {
  EXPECT_THAT(ErrorsOfRow("variant = 1\n"),
              ElementsAre("manifest.op_variant_type manifest.toml:7:11 ops[0].variant"));
  EXPECT_THAT(ErrorsOfRow("variant = \"a/b\"\n"),
              ElementsAre("manifest.op_variant_charset manifest.toml:7:11 ops[0].variant"));
  EXPECT_THAT(
      ErrorsOfRow(std::string(kRow) + "variant = \"b\"\n"),
      ElementsAre("manifest.op_variant_implicit_duplicate manifest.toml:11:11 ops[1].variant"));
  EXPECT_THAT(
      ErrorsOfRow("variant = \"default\"\n" + std::string(kRow)),
      ElementsAre("manifest.op_variant_implicit_duplicate manifest.toml:8:1 ops[1].variant"));
  EXPECT_THAT(ErrorsOfRow("variant = \"a\"\n" + std::string(kRow) + "variant = \" a \"\n"),
              ElementsAre("manifest.op_variant_duplicate manifest.toml:12:11 ops[1].variant"));
}

TEST_F(ManifestTest, ChecksListsOfNames) {
  EXPECT_THAT(ErrorsOfRow("dtypes = \"f32\"\narchitectures = [\"\"]\n"),
              ElementsAre("manifest.op_string_array_type manifest.toml:7:10 ops[0].dtypes",
                          "manifest.op_string_array_item manifest.toml:8:18 "
                          "ops[0].architectures[0]"));
}

TEST_F(ManifestTest, ChecksOverrides) {
  EXPECT_THAT(ErrorsOfRow("base_kernel = \" \"\noverride_point = \"\"\n"),
              ElementsAre("manifest.op_base_kernel_empty manifest.toml:7:15 ops[0].base_kernel",
                          "manifest.op_override_point_empty manifest.toml:8:18 "
                          "ops[0].override_point"));
  EXPECT_THAT(ErrorsOfRow("override_point = \"p\"\n"),
              ElementsAre("manifest.op_override_requires_base manifest.toml:7:18 "
                          "ops[0].override_point"));
}

TEST_F(ManifestTest, ChecksEachCudaSource) {
  tree_.File("a.cu", "");
  tree_.File("b.CU", "");
  tree_.Symlink("l.cu", "a.cu");
  EXPECT_THAT(ErrorsOfRow("cuda_sources = \"a.cu\"\n"),
              ElementsAre("manifest.op_cuda_sources_type manifest.toml:7:16 ops[0].cuda_sources"));
  EXPECT_THAT(ErrorsOfRow("cuda_sources = [\"a.cu\", \"b.CU\", \"l.cu\", 1, \"a.cu \"]\n"),
              ElementsAre("manifest.path_suffix manifest.toml:7:25 ops[0].cuda_sources[1]",
                          "manifest.path_symlink manifest.toml:7:33 ops[0].cuda_sources[2]",
                          "manifest.path_empty manifest.toml:7:41 ops[0].cuda_sources[3]",
                          "manifest.path_not_found manifest.toml:7:44 ops[0].cuda_sources[4]"));
}

TEST_F(ManifestTest, ChecksPaths) {
  tree_.Symlink("out", "/etc/passwd");
  tree_.Directory("d");
  const auto error_of = [&](std::string_view path) {
    return ErrorsOfRow(fmt::format("metadata = \"{}\"\n", path));
  };
  const auto expected = [](std::string_view code) {
    return ElementsAre(fmt::format("{} manifest.toml:7:12 ops[0].metadata", code));
  };
  EXPECT_THAT(error_of(" "), expected("manifest.path_empty"));
  EXPECT_THAT(error_of("a\\u0000b"), expected("manifest.path_nul"));
  EXPECT_THAT(error_of("/etc/passwd"), expected("manifest.path_absolute"));
  EXPECT_THAT(error_of("../k.py"), expected("manifest.path_escape"));
  EXPECT_THAT(error_of("out"), expected("manifest.path_escape"));
  EXPECT_THAT(error_of("nowhere"), expected("manifest.path_not_found"));
  EXPECT_THAT(error_of("d"), expected("manifest.path_not_file"));
}

TEST_F(ManifestTest, ChecksTheRulesAroundArtifactRows) {
  EXPECT_THAT(ErrorsOfRow("aot_exports = 1\n"),
              ElementsAre("manifest.aot_exports_type manifest.toml:7:15 ops[0].aot_exports"));
  EXPECT_THAT(ErrorsOfRow("artifact_resources = [{}]\n"),
              ElementsAre("manifest.resources_without_exports manifest.toml:7:22 "
                          "ops[0].artifact_resources"));
  tree_.File("a.cu", "");
  EXPECT_THAT(ErrorsOfRow("aot_exports = [{}]\nprepare = \"p\"\ncuda_sources = [\"a.cu\"]\n"),
              ElementsAre("manifest.aot_runtime_path_conflict manifest.toml:8:11 ops[0].prepare",
                          "manifest.aot_cuda_conflict manifest.toml:9:16 ops[0].cuda_sources"));
  checker_.takes_cuda_sources = true;
  EXPECT_TRUE(ReadRow("aot_exports = [{}]\ncuda_sources = [\"a.cu\"]\n").manifest);
}

TEST_F(ManifestTest, ProvesSpecializationsByMetadata) {
  checker_.specializations = {{"block_size", Json(128), "ops[0].aot_exports[0]"}};
  const auto errors_with = [&](std::string_view metadata) {
    tree_.File("m.json", metadata);
    return Show(ReadRow("aot_exports = [{}]\nmetadata = \"m.json\"\n").errors);
  };
  for (const char* exact : {"128", "[128]", "{\"exact\": 128}", "{\"one_of\": [128]}"}) {
    EXPECT_THAT(errors_with(fmt::format("{{\"capabilities\": {{\"block_size\": {}}}}}", exact)),
                IsEmpty())
        << exact;
  }
  const auto unproven =
      ElementsAre("manifest.aot_specialization_unproven manifest.toml:7:16 ops[0].aot_exports[0]");
  for (const char* inexact : {"64", "128.0", "true", "[128, 64]", "{\"min\": 128, \"max\": 128}",
                              "{\"exact\": 128, \"min\": 1}", "\"128\""}) {
    EXPECT_THAT(errors_with(fmt::format("{{\"capabilities\": {{\"block_size\": {}}}}}", inexact)),
                unproven)
        << inexact;
  }
  EXPECT_THAT(errors_with("{}"), unproven);
  EXPECT_THAT(Show(ReadRow("aot_exports = [{}]\n").errors), unproven);
}

TEST_F(ManifestTest, ReadsMetadataOfDirectRowsStrictly) {
  const auto errors_with = [&](std::string_view metadata) {
    tree_.File("m.json", metadata);
    return Show(ReadRow("aot_exports = [{}]\nmetadata = \"m.json\"\n").errors);
  };
  EXPECT_THAT(errors_with("\n{,"),
              ElementsAre("manifest.metadata_json m.json:2:2 ops[0].metadata"));
  EXPECT_THAT(errors_with("\xff"),
              ElementsAre("manifest.metadata_json m.json:0:0 ops[0].metadata"));
  EXPECT_THAT(errors_with("{\"x\": {\"a\": 1, \"a\": 2}}"),
              ElementsAre("manifest.metadata_duplicate_key m.json:1:18 ops[0].metadata"));
  EXPECT_THAT(errors_with("[]"),
              ElementsAre("manifest.metadata_object m.json:0:0 ops[0].metadata"));
  EXPECT_THAT(errors_with("{\"capabilities\": []}"),
              ElementsAre("manifest.metadata_capabilities_object m.json:0:0 ops[0].metadata"));
  EXPECT_THAT(errors_with(std::string(kMaxExportMetadataBytes + 1, ' ')),
              ElementsAre("manifest.metadata_size m.json:0:0 ops[0].metadata"));
}

TEST_F(ManifestTest, ChecksTheCompetition) {
  EXPECT_THAT(ErrorsOf(std::string(kHead) + "competition = 1\n" + std::string(kRow)),
              ElementsAre("manifest.competition_type manifest.toml:3:15 competition"));
  EXPECT_THAT(ErrorsOfRow("[competition]\ntarget = \"a b\"\nmode = 1\ntraget = \"x\"\n"),
              ElementsAre("manifest.competition_unknown_keys manifest.toml:10:1 "
                          "competition.traget",
                          "manifest.competition_target_charset manifest.toml:8:10 "
                          "competition.target",
                          "manifest.competition_mode_type manifest.toml:9:8 competition.mode"));
}

TEST_F(ManifestTest, ChecksDependencyPatches) {
  tree_.File("p.patch", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
  tree_.File("bad.patch", "diff x\nrename from a\n");
  tree_.File("latin.patch", "\xe9\n");
  EXPECT_THAT(ErrorsOf(std::string(kHead) + "dep_patches = {}\n" + std::string(kRow)),
              ElementsAre("manifest.dep_patches_type manifest.toml:3:15 dep_patches"));
  EXPECT_THAT(ErrorsOf(std::string(kHead) + "dep_patches = [1]\n" + std::string(kRow)),
              ElementsAre("manifest.dep_patch_not_table manifest.toml:3:16 dep_patches[0]"));
  EXPECT_THAT(
      ErrorsOfRow("[[dep_patches]]\ntarget = \"a b\"\npath = \"bad.patch\"\n"
                  "[[dep_patches]]\ntarget = \"t\"\npath = \"latin.patch\"\n"
                  "[[dep_patches]]\ntarget = \"t\"\npath = \"p.patch\"\n"
                  "[[dep_patches]]\ntarget = \"t\"\npath = \"./p.patch\"\npahts = 1\n"),
      ElementsAre("manifest.dep_patch_target_charset manifest.toml:8:10 dep_patches[0].target",
                  "manifest.dep_patch_rejected bad.patch:2:1 dep_patches[0].path",
                  "manifest.dep_patch_encoding manifest.toml:12:8 dep_patches[1].path",
                  "manifest.dep_patch_duplicate manifest.toml:18:8 dep_patches[3].path",
                  "manifest.dep_patch_unknown_keys manifest.toml:19:1 dep_patches[3].pahts"));
}

TEST_F(ManifestTest, ReadsPatchesWithUniversalNewlines) {
  tree_.File("p.diff", "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n");
  const auto reading = ReadRow("[[dep_patches]]\ntarget = \"t\"\npath = \" p.diff \"\n");
  ASSERT_TRUE(reading.manifest);
  EXPECT_EQ(reading.manifest->dep_patches[0].patch.files[0].hunks[0].lines[0], "-a");
}

TEST_F(ManifestTest, WarnsAboutWhatIsWeakInStrictModeOnly) {
  EXPECT_THAT(
      WarningsOf("bundle_id = 42\nabi_version = \"optima-op-abi-v0\"\ncompetiton = 1\n"
                 "[[ops]]\nslot = \"s\"\nsource = \"./k.py\"\nentry = \"class\"\ndtyps = []\n"
                 "[[ops]]\nslot = \"t\"\nsource = \"k.py\"\nentry = \"\u00e9\"\n"),
      ElementsAre("manifest.coerced_value manifest.toml:1:13 bundle_id",
                  "manifest.abi_older_spelling manifest.toml:2:15 abi_version",
                  "manifest.entry_keyword manifest.toml:7:9 ops[0].entry",
                  "manifest.path_spelling manifest.toml:6:10 ops[0].source",
                  "manifest.op_unknown_key manifest.toml:8:1 ops[0].dtyps",
                  "manifest.entry_not_ascii manifest.toml:12:9 ops[1].entry",
                  "manifest.unknown_key manifest.toml:3:1 competiton"));
}

TEST_F(ManifestTest, ReadsOtherTypesAsPythonWritesThem) {
  const auto slot_of = [&](std::string_view value) {
    const auto reading = Read(
        fmt::format("{}[[ops]]\nslot = {}\nsource = \"k.py\"\nentry = \"run\"\n", kHead, value));
    return reading.manifest ? reading.manifest->ops[0].slot : "refused";
  };
  EXPECT_EQ(slot_of("true"), "True");
  EXPECT_EQ(slot_of("1e16"), "1e+16");
  EXPECT_EQ(slot_of("1e15"), "1000000000000000.0");
  EXPECT_EQ(slot_of("0.0001"), "0.0001");
  EXPECT_EQ(slot_of("1e-5"), "1e-05");
  EXPECT_EQ(slot_of("1e400"), "inf");
  EXPECT_EQ(slot_of("-nan"), "nan");
  EXPECT_EQ(slot_of("0xFFFF_FFFF_FFFF_FFFF_FF"), "4722366482869645213695");
  EXPECT_EQ(slot_of("2026-01-02T03:04:05.25-07:30"), "2026-01-02 03:04:05.250000-07:30");
  EXPECT_EQ(slot_of("2026-01-02T03:04:05Z"), "2026-01-02 03:04:05+00:00");
  EXPECT_EQ(slot_of("03:04:05"), "03:04:05");
  EXPECT_EQ(slot_of("[1, \"it's\", {}]"), "[1, \"it's\", {}]");
  EXPECT_EQ(slot_of("{a = [\"x\\ty\"]}"), "{'a': ['x\\ty']}");
}

TEST_F(ManifestTest, KeepsUnknownKeysOfRows) {
  const auto reading = ReadRow("tile_hint = 128\nnotes = \"x\"\n");
  ASSERT_TRUE(reading.manifest);
  EXPECT_EQ(reading.manifest->ops[0].extra, (Json::Object{{"notes", "x"}, {"tile_hint", 128}}));
}

TEST_F(ManifestTest, GivesPlacesToLaterChecks) {
  const auto reading = ReadRow("architectures = [\"sm_90\"]\n");
  ASSERT_TRUE(reading.manifest);
  EXPECT_EQ(reading.manifest->places->OfValue("ops[0].architectures[0]"),
            (Place{"manifest.toml", 7, 18, "ops[0].architectures[0]"}));
  EXPECT_EQ(reading.manifest->places->OfKey("ops[0].architectures"),
            (Place{"manifest.toml", 7, 1, "ops[0].architectures"}));
  EXPECT_EQ(reading.manifest->places->OfValue("ops[7].x").line, 3);
}

TEST_F(ManifestTest, StopsAtTheMostErrorsItReports) {
  std::string rows(kHead);
  for (int i = 0; i < 20'000; ++i) rows += "[[ops]]\n";
  EXPECT_EQ(Read(rows).errors.size(), kMaxManifestErrors);
}

TEST_F(ManifestTest, ShortensWhatItQuotes) {
  const auto reading = Read("bundle_id = \"" + std::string(100'000, '!') + "\x1b[2J" + "\"\n");
  EXPECT_LT(FormatError(reading.errors[0]).size(), 400U);
  const auto escaped = Read("bundle_id = \"\\u001b[2J\"\n" + std::string(kRow));
  EXPECT_THAT(escaped.errors[0].message, HasSubstr("`\\x1b[2J`"));
}

}  // namespace
}  // namespace cacheon::bundle
