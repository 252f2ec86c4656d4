// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/compile_profile.h"

#include <fmt/format.h>

#include "cacheon/artifact/plan_selection.h"
#include "cacheon/artifact/publication_path.h"
#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

Json Profile(const std::string& members = "{}") {
  Json profile =
      J("{'compiler_architecture':'sm_90a','constants':{},'degrees':{'dp_size':1,'ep_size':1,"
        "'tp_size':4,'visible_gpu_count':8},'logical_architecture':'sm90','provider':"
        "'cutlass.cute.cubin.v1','schema':'cacheon.native-cute-compile-profile.v1'}");
  for (const char* key :
       {"device_policy_digest", "image_digest", "logical_hardware_digest", "measurement_digest",
        "platform_digest", "topology_digest", "worker_distribution_digest"}) {
    profile[key] = std::string(64, 'a');
  }
  const Json more = J(members);
  for (const auto& [key, value] : more.as_object()) profile[key] = value;
  return profile;
}

std::string Text(const std::string& members) { return DocumentJson(Profile(members)); }

TEST(ParseCompileProfile, RefusesWrongFields) {
  const std::string zeros = std::string(64, '0');
  ExpectRefusals(
      {{"1", "cp.fields", "p"},
       {Text("{'extra':1}"), "cp.fields", "p"},
       {Text("{'schema':'v2'}"), "cp.schema", "p.schema"},
       {Text("{'provider':'x'}"), "cp.provider", "p.provider"},
       {Text("{'logical_architecture':'SM90'}"), "cp.arch", "p.logical_architecture"},
       {Text("{'compiler_architecture':'sm_9'}"), "cp.arch", "p.compiler_architecture"},
       {Text("{'compiler_architecture':'sm_100a'}"), "cp.family", "p.compiler_architecture"},
       {Text("{'degrees':{'dp_size':1}}"), "cp.degrees", "p.degrees"},
       {Text("{'degrees':{'dp_size':0,'ep_size':1,'tp_size':1,'visible_gpu_count':1}}"),
        "cp.degree", "p.degrees.dp_size"},
       {Text("{'degrees':{'dp_size':1,'ep_size':2,'tp_size':1,'visible_gpu_count':1}}"),
        "cp.degree_max", "p.degrees.ep_size"},
       {Text("{'constants':[]}"), "cp.const_count", "p.constants"},
       {Text("{'constants':{'x':1}}"), "cp.const_key", "p.constants.x"},
       {Text("{'constants':{'max_active_clusters.cluster_size_1':0}}"), "cp.const_bound",
        "p.constants.\"max_active_clusters.cluster_size_1\""},
       {Text("{'image_digest':'AA'}"), "dg.format", "p.image_digest"},
       {Text("{'image_digest':'" + zeros + "'}"), "dg.zero", "p.image_digest"}},
      [](const Json& value) { return ParseCompileProfile(value, KeyPath("p")); });
}

TEST(ReadCompileProfile, TakesTheCanonicalFileOnly) {
  const CompileProfile profile = ParseCompileProfile(Profile(), KeyPath("p")).value();
  const std::string bytes = CompileProfileBytes(profile);
  EXPECT_EQ(CompileProfileBytes(ReadCompileProfile(bytes).value()), bytes);
  EXPECT_EQ(ReadCompileProfile(bytes + "\n").error().code, Code("cp.fields"));
  EXPECT_EQ(ReadCompileProfile(bytes.substr(0, bytes.size() - 1)).error().code, Code("cp.fields"));
}

TEST(CheckLaunchFacts, NamesTheFirstDifference) {
  const CompileProfile profile = ParseCompileProfile(Profile(), KeyPath("p")).value();
  LaunchFacts facts{.logical_architecture = "sm90",
                    .degrees = profile.degrees,
                    .device_policy_digest = profile.device_policy_digest,
                    .image_digest = profile.image_digest,
                    .logical_hardware_digest = profile.logical_hardware_digest,
                    .platform_digest = profile.platform_digest,
                    .topology_digest = profile.topology_digest,
                    .worker_distribution_digest = profile.worker_distribution_digest};
  EXPECT_TRUE(CheckLaunchFacts(profile, facts).has_value());
  facts.degrees.visible_gpu_count = 4;
  const Status differs = CheckLaunchFacts(profile, facts);
  ASSERT_FALSE(differs.has_value());
  EXPECT_EQ(differs.error().code, Code("cp.launch"));
  EXPECT_EQ(differs.error().where.key_path, "visible_gpu_count");
}

TEST(CheckPublicationPath, RefusesPathsThatAreNotPlain) {
  const auto code = [](const std::string& path, PathLeaf leaf = PathLeaf::kFile) {
    const Status checked = CheckPublicationPath(path, leaf);
    if (checked) return std::string("accepted");
    EXPECT_EQ(checked.error().where.file, path);
    return std::string(checked.error().code.text());
  };
  EXPECT_EQ(code(""), "np.path");
  EXPECT_EQ(code("/a"), Code("np.path").text());
  EXPECT_EQ(code("a/.b"), Code("np.component").text());
  EXPECT_EQ(code("a/_b.py/c"), Code("np.component").text());
  EXPECT_EQ(code("a/_b.py", PathLeaf::kDirectory), Code("np.component").text());
  EXPECT_EQ(code("a/_b.py"), "accepted");
  EXPECT_EQ(code(Repeat("a", 32, "/")), "accepted");
  EXPECT_EQ(code(Repeat("a", 33, "/")), Code("np.depth").text());
  EXPECT_EQ(code(Repeat(std::string(200, 'a'), 6, "/")), Code("np.len").text());
}

TEST(PlanSelector, TakesTheMostSpecificPlanOrNone) {
  const std::vector<PlanPredicates> plans = {
      {"a", {{"input.block_size", 64}}},
      {"b", {{"input.sm_scale", 0.5}}},
      {"ab", {{"input.block_size", 64}, {"input.causal", true}}}};
  const PlanSelector selector{plans};
  ASSERT_EQ(selector.sources().size(), 3U);
  using Live = std::vector<std::optional<TypedScalar>>;
  EXPECT_EQ(selector.Select(Live{std::int64_t{64}, {}, {}}).value(), 0U);
  EXPECT_EQ(selector.Select(Live{std::int64_t{64}, 0.5, true}).value(), 2U);
  EXPECT_EQ(selector.Select(Live{std::int64_t{64}, 0.5, {}}).error().code, Code("rt.ambiguous"));
  EXPECT_EQ(selector.Select(Live{64.0, {}, {}}).error().code, Code("rt.no_plan"));
}

}  // namespace
}  // namespace cacheon::artifact
