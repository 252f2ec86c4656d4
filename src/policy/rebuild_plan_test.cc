// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/rebuild_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kCompat = bundle::Mode::kCompat;
constexpr auto kStrict = bundle::Mode::kStrict;

struct Refusal {
  std::string_view text;
  Code code;
  std::string_view key_path;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.text; }

class RefusedRebuildPlan : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedRebuildPlan, HasCodeAndPlace) {
  const auto plan = ParseRebuildPlan(GetParam().text, kCompat);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, GetParam().code);
  EXPECT_EQ(plan.error().where.file, "rebuild.json");
  EXPECT_EQ(plan.error().where.key_path, GetParam().key_path);
}

INSTANTIATE_TEST_SUITE_P(
    Document, RefusedRebuildPlan,
    testing::Values(Refusal{"{", "rebuild.json", ""}, Refusal{"\"\xff\"", "rebuild.json", ""},
                    Refusal{R"({"steps": [], "steps": []})", "rebuild.duplicate_key", ""},
                    Refusal{"[]", "rebuild.not_object", ""},
                    Refusal{R"({"steps": [], "x": 1})", "rebuild.fields", ""},
                    Refusal{"{}", "rebuild.fields", ""},
                    Refusal{R"({"steps": {}})", "rebuild.steps_type", "steps"}));

INSTANTIATE_TEST_SUITE_P(
    Steps, RefusedRebuildPlan,
    testing::Values(
        Refusal{R"({"steps": ["x"]})", "rebuild.step_not_object", "steps[0]"},
        Refusal{R"({"steps": [{"type": "repo_python"}]})", "rebuild.step_fields", "steps[0]"},
        Refusal{R"({"steps": [{"type": "bundle_python", "path": "x.py"}]})",
                "rebuild.bundle_python", "steps[0].type"},
        Refusal{R"({"steps": [{"type": "shell", "path": "x.sh"}]})", "rebuild.step_type",
                "steps[0].type"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "/build_cuda_ext.py"}]})",
                "rebuild.path_form", "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": 1}]})", "rebuild.path_form",
                "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "cacheon/patchers/../x.py"}]})",
                "rebuild.path_traversal", "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "patchers/build_cuda_ext.py"}]})",
                "rebuild.path_directory", "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "cacheon/patchers/"}]})",
                "rebuild.path_directory", "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "build_nvcc_cubin.py"}]})",
                "rebuild.unregistered", "steps[0].path"},
        Refusal{R"({"steps": [{"type": "repo_python", "path": "build_cuda_ext.py"},
                    {"type": "repo_python", "path": "cacheon/patchers/build_cuda_ext.py"}]})",
                "rebuild.duplicate_patcher", "steps[1].path"}));

constexpr std::string_view kTwoSteps = R"({"steps": [
    {"type": "repo_python", "path": "cacheon/patchers/build_cuda_ext.py"},
    {"type": "repo_python", "path": "apply_dep_patch.py"}]})";

TEST(RebuildPlan, RunsStepsInTheirFixedOrder) {
  const RebuildPlan plan = ParseRebuildPlan(kTwoSteps, kCompat).value();
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].patcher->id, "cacheon.apply-dep-patch.v1");
  EXPECT_EQ(plan.steps[1].path, "cacheon/patchers/build_cuda_ext.py");
  EXPECT_THAT(plan.Features(), ElementsAre("rebuild:apply_dep_patch", "rebuild:build_cuda_ext"));
}

TEST(RebuildPlan, IdentityCarriesTheDigestOfEachPatcher) {
  const Json identity =
      ParseRebuildPlan(R"({"steps": [{"type": "repo_python", "path": "build_cuda_ext.py"}]})",
                       kCompat)
          .value()
          .Identity({{"cacheon.build-cuda-ext.v1", "aa"}});
  EXPECT_EQ(DocumentJson(identity),
            R"({"schema_version":1,"steps":[{"patcher_id":"cacheon.build-cuda-ext.v1",)"
            R"("patcher_sha256":"aa","path":"build_cuda_ext.py","type":"repo_python"}]})");
}

TEST(RebuildPlan, StrictModeKnowsOurStep) {
  const auto plan = ParseRebuildPlan(
      R"({"steps": [{"type": "repo_python", "path": "build_nvcc_cubin.py"}]})", kStrict);
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->Features(), ElementsAre("rebuild:build_nvcc_cubin"));
}

class RebuildFile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    path_ = root_ + "/rebuild.json";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string root_ = testing::TempDir() + "/rebuild-XXXXXX";
  std::string path_;
};

TEST_F(RebuildFile, AbsentMeansAnEmptyPlan) {
  EXPECT_THAT(ReadRebuildPlan(root_, kStrict).value().steps, IsEmpty());
}

TEST_F(RebuildFile, IsReadFromTheRootOfTheBundle) {
  ASSERT_TRUE(WriteFileAtomically(path_, kTwoSteps).has_value());
  EXPECT_EQ(ReadRebuildPlan(root_, kStrict).value().steps.size(), 2U);
}

TEST_F(RebuildFile, MayNotBeALink) {
  ASSERT_EQ(symlink("/dev/null", path_.c_str()), 0);
  const auto plan = ReadRebuildPlan(root_, kStrict);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, Code("rebuild.file_kind"));
  EXPECT_EQ(plan.error().where.file, "rebuild.json");
}

}  // namespace
}  // namespace cacheon::policy
