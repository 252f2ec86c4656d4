// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/op_artifact.h"

#include <fmt/format.h>

#include <optional>

#include "cacheon/artifact/identity.h"
#include "cacheon/artifact/row_checker.h"
#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

constexpr std::string_view kSilu = "activation.silu_and_mul";
constexpr std::string_view kDecode = "attention.decode";

constexpr std::string_view kInput = "{'source':'input.x','kind':'tensor'}";
constexpr std::string_view kOutput = "{'source':'output.out','kind':'tensor'}";
constexpr std::string_view kStream = "{'source':'stream.current','kind':'stream'}";

// A plan of one kernel without parameters on the null stream.
std::string Plan() {
  return fmt::format(
      "{{'schema':'cacheon.device-launch-plan.v1','kernels':[{{'name':'k','parameter_sizes':[]}}],"
      "'launches':[{{'ordinal':0,'kernel':'k','grid':{{'x':{0},'y':{0},'z':{0}}},"
      "'block':{{'x':{0},'y':{0},'z':{0}}},'shared_mem_bytes':{0},'parameters':[],"
      "'stream_binding':null,'attributes':{{}}}}]}}",
      kOne);
}

// One export; `more` adds or replaces members.
std::string Export(std::string_view name, const std::string& bindings,
                   const std::string& more = "{}", const std::string& without = "") {
  Json row =
      J(fmt::format("{{'provider':'cutlass.cute.cubin.v1','factory':'make',"
                    "'profile_inputs':[],'bindings':[{}],'device_plan':{}}}",
                    bindings, Plan()));
  row["name"] = name;
  const Json members = J(more);
  for (const auto& [key, value] : members.as_object()) row[key] = value;
  row.as_object().erase(without);
  return DocumentJson(row);
}

std::string Main(const std::string& more = "{}", const std::string& without = "") {
  return Export("main", fmt::format("{},{},{}", kInput, kOutput, kStream), more, without);
}

std::vector<Error> Errors(std::string_view slot, const std::string& exports,
                          const std::string& resources = "[]",
                          bundle::Mode mode = bundle::Mode::kStrict) {
  const Json export_rows = J(exports);
  const Json resource_rows = J(resources);
  std::vector<Error> errors;
  ParseOpArtifact(
      {.slot = slot, .resources = &resource_rows, .exports = &export_rows, .mode = mode},
      KeyPath("ops[2]"), errors);
  return errors;
}

struct OpRefusal {
  std::string exports;
  std::string_view code;
  std::string_view key_path;
  std::string resources = "[]";
  std::string_view slot = kSilu;
};

void ExpectFirstError(std::initializer_list<OpRefusal> refusals) {
  for (const OpRefusal& refusal : refusals) {
    const std::vector<Error> errors = Errors(refusal.slot, refusal.exports, refusal.resources);
    if (errors.empty()) {
      ADD_FAILURE() << refusal.exports << " was accepted";
      continue;
    }
    EXPECT_EQ(errors[0].code.text(), refusal.code) << refusal.exports;
    EXPECT_EQ(errors[0].where.key_path, refusal.key_path) << refusal.exports;
  }
}

std::string List(std::initializer_list<std::string> rows) {
  return fmt::format("[{}]", fmt::join(rows, ","));
}

TEST(ParseOpArtifact, AcceptsTheMinimalRow) { EXPECT_TRUE(Errors(kSilu, List({Main()})).empty()); }

TEST(ParseOpArtifact, RefusesWrongLists) {
  ExpectFirstError({{"1", "xp.list", "ops[2].aot_exports"},
                    {"[" + Repeat("{}", 17) + "]", "xp.count", "ops[2].aot_exports"},
                    {"[{}]", "xp.no_abi", "ops[2].aot_exports", "[]", "moe.fused_experts"},
                    {"[]", "rs.need_abi", "ops[2].artifact_resources", "[1]", "moe.fused_experts"},
                    {"[]", "rs.list", "ops[2].artifact_resources", "0", "moe.fused_experts"},
                    {List({Main(), Main()}), "xp.name_dup", "ops[2].aot_exports[1].name"}});
}

TEST(ParseOpArtifact, RefusesWrongFieldsOfRows) {
  ExpectFirstError(
      {{"[1]", "xp.fields", "ops[2].aot_exports[0]"},
       {List({Main("{}", "factory")}), "xp.fields", "ops[2].aot_exports[0]"},
       {List({Main("{'provider':'CUTLASS'}")}), "xp.provider_id", "ops[2].aot_exports[0].provider"},
       {List({Main("{'provider':'x'}")}), "xp.provider", "ops[2].aot_exports[0].provider"},
       {List({Main("{'name':'Main'}")}), "xp.name", "ops[2].aot_exports[0].name"},
       {List({Main("{'factory':'lambda'}")}), "xp.factory", "ops[2].aot_exports[0].factory"},
       {List({Main("{'profile_inputs':{}}")}), "xp.profile_list",
        "ops[2].aot_exports[0].profile_inputs"},
       {List({Main("{'profile_inputs':[" + Repeat("1", 17) + "]}")}), "xp.profile_count",
        "ops[2].aot_exports[0].profile_inputs"},
       {List({Main("{'profile_inputs':['max_active_clusters.cluster_size_3']}")}), "xp.profile_key",
        "ops[2].aot_exports[0].profile_inputs[0]"},
       {List({Main("{'profile_inputs':['max_active_clusters.cluster_size_1',"
                   "'max_active_clusters.cluster_size_1']}")}),
        "xp.profile_dup", "ops[2].aot_exports[0].profile_inputs[1]"},
       {List({Main("{'role':' run'}")}), "pl.role", "ops[2].aot_exports[0].role"},
       {List({Main("{'plan':'A'}")}), "xp.plan", "ops[2].aot_exports[0].plan"},
       {List({Main("{'step':true}")}), "xp.step", "ops[2].aot_exports[0].step"},
       {List({Main("{'specializes':[]}")}), "pl.spec_table", "ops[2].aot_exports[0].specializes"},
       {List({Main("{'provider_capability_requirements':[1]}")}), "xp.provider_req",
        "ops[2].aot_exports[0].provider_capability_requirements"},
       {List({Main("{'specialization_capability_requirements':[1]}")}), "xp.spec_req",
        "ops[2].aot_exports[0].specialization_capability_requirements"},
       {List({Main("{}", "device_plan")}), "xp.no_plan", "ops[2].aot_exports[0]"}});
}

TEST(ParseOpArtifact, ReportsEveryIndependentErrorOfARow) {
  const std::vector<Error> errors =
      Errors(kSilu, List({Main("{'name':'Main','step':256,'bindings':[],'device_plan':{}}")}));
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].code, Code("xp.name"));
  EXPECT_EQ(errors[1].code, Code("xp.step"));
  EXPECT_EQ(errors[2].code, Code("bd.count"));
  EXPECT_EQ(errors[3].code, Code("dp.fields"));
}

TEST(ParseOpArtifact, RefusesPrelaunchThatCannotBe) {
  const auto fill = [](std::string_view rows) {
    return List({Main(fmt::format("{{'prelaunch':{}}}", rows))});
  };
  const std::string at = "ops[2].aot_exports[0].prelaunch";
  ExpectFirstError({{fill("{}"), "pf.list", at},
                    {fill("[" + Repeat("{}", 17) + "]"), "pf.count", at},
                    {fill("[{'op':'fill'}]"), "pf.fields", "ops[2].aot_exports[0].prelaunch[0]"},
                    {fill("[{'op':'copy','target':'output.out','value':0}]"), "pf.op",
                     "ops[2].aot_exports[0].prelaunch[0].op"},
                    {fill("[{'op':'fill','target':'out','value':0}]"), "bd.source_name",
                     "ops[2].aot_exports[0].prelaunch[0].target"},
                    {fill("[{'op':'fill','target':'output.out','value':'inf'}]"), "pf.string",
                     "ops[2].aot_exports[0].prelaunch[0].value"},
                    {fill("[{'op':'fill','target':'output.out','value':[]}]"), "pf.type",
                     "ops[2].aot_exports[0].prelaunch[0].value"},
                    {fill("[{'op':'fill','target':'output.out','value':18446744073709551616}]"),
                     "pf.range", "ops[2].aot_exports[0].prelaunch[0].value"},
                    {fill("[{'op':'fill','target':'workspace.w','value':0}]"), "pf.unknown",
                     "ops[2].aot_exports[0].prelaunch[0].target"},
                    {fill("[{'op':'fill','target':'input.x','value':0}]"), "pf.target",
                     "ops[2].aot_exports[0].prelaunch[0].target"}});
}

TEST(ParseExport, RefusesFillsAndPredicatesThatAreNotFinite) {
  const CallAbi& abi = *FindCallAbi("norm.rmsnorm");
  const ResourcePlan none{"norm.rmsnorm", {}};
  const auto first = [&](Json row) {
    std::vector<Error> errors;
    ParseExport(row, {abi, none}, KeyPath("e"), errors);
    return errors.empty() ? std::string() : FormatError(errors[0]);
  };
  Json row = J(Main());
  row["prelaunch"] = Json::Array{Json::Object{{"op", "fill"},
                                              {"target", "output.out"},
                                              {"value", std::numeric_limits<double>::infinity()}}};
  EXPECT_TRUE(first(row).starts_with("pf.nonfinite: e.prelaunch[0].value"));
  row = J(Main());
  row["specializes"] = Json::Object{{"input.eps", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_TRUE(first(row).starts_with("pl.spec_finite: e.specializes.\"input.eps\""));
}

TEST(ParseOpArtifact, RefusesPredicatesThatCannotBe) {
  const auto specializes = [](std::string_view table) {
    return List({Export("main", "{'source':'output.out','kind':'tensor'}",
                        fmt::format("{{'specializes':{}}}", table))});
  };
  const std::string_view at = "ops[2].aot_exports[0].specializes.\"input.block_size\"";
  ExpectFirstError(
      {{specializes("{'input.blocks':1}"), "pl.spec_unknown",
        "ops[2].aot_exports[0].specializes.\"input.blocks\"", "[]", kDecode},
       {specializes("{'input.q':1}"), "pl.spec_fact",
        "ops[2].aot_exports[0].specializes.\"input.q\"", "[]", kDecode},
       {specializes("{'input.block_size':true}"), "pl.spec_type", at, "[]", kDecode},
       {specializes("{'input.block_size':2147483648}"), "pl.spec_range", at, "[]", kDecode}});
}

TEST(ParseOpArtifact, RefusesBindingsThatTheSlotDoesNotAdmit) {
  const auto bind = [](std::string_view row) {
    return List({Export("main", fmt::format("{},{}", kOutput, row))});
  };
  const std::string at = "ops[2].aot_exports[0].bindings[1]";
  const std::string leaf =
      "{'kind':'aggregate','cast':'Shape','component_cast':'i32','components':[{'source':'%',"
      "'projection':'value','cast':'i32'}]}";
  const auto with = [&](std::string_view name) {
    std::string row = leaf;
    return row.replace(row.find('%'), 1, name);
  };
  ExpectFirstError(
      {{bind("{'source':'group.current','kind':'group'}"), "bd.unknown", at + ".source"},
       {bind("{'source':'stream.current','kind':'stream','projection':'value'}"), "bd.relation",
        at + ".projection"},
       {bind(with("input.y")), "bd.unknown", at + ".components"},
       {bind(with("stream.current")), "bd.agg_kind", at + ".components"},
       {bind("{'source':'input.sm_scale','kind':'scalar','cast':'i32'}"), "bd.cast_class",
        at + ".cast", "[]", kDecode}});
}

constexpr std::string_view kState =
    "{'name':'state.s','dtype':'f32','alignment':4,'lifetime':'engine',"
    "'shape':[{'factors':[{'static':4}]}]}";

TEST(ParseOpArtifact, RefusesPeersThatAreNotShared) {
  const std::string row =
      Export("main", fmt::format("{},{{'source':'group.current','kind':'pointer','projection':"
                                 "'peer_ptr_table','peer_resource':'state.s'}}",
                                 kOutput));
  const std::string_view at = "ops[2].aot_exports[0].bindings[1].peer_resource";
  ExpectFirstError(
      {{List({row}), "bd.peer_missing", at, "[]", "collective.all_reduce"},
       {List({row}), "bd.peer_scope", at, fmt::format("[{}]", kState), "collective.all_reduce"}});
}

// A step of the silu slot that binds the named resources and the stream.
std::string Step(std::string_view name, std::string_view role, int step,
                 std::initializer_list<std::string_view> sources) {
  std::string bindings(kStream);
  for (const std::string_view source : sources) {
    bindings += fmt::format(",{{'source':'{}','kind':'tensor'}}", source);
  }
  return Export(name, bindings, fmt::format("{{'role':'{}','step':{}}}", role, step));
}

std::string Storage(std::string_view name, std::string_view lifetime) {
  return fmt::format(
      "{{'name':'{}','dtype':'f32','alignment':4,'lifetime':'{}',"
      "'shape':[{{'factors':[{{'static':4}}]}}]}}",
      name, lifetime);
}

TEST(ParseOpArtifact, RefusesPlansWhoseStepsDoNotFit) {
  const std::string run = Step("run", "run", 1, {"input.x", "output.out"});
  ExpectFirstError(
      {{List({Step("i", "init", 0, {"input.x"})}), "pl.boundary",
        "ops[2].aot_exports[0].bindings[1].source"},
       {List({Step("i", "init", 0, {})}), "pl.no_run", "ops[2].aot_exports[0]"},
       {List({run, Step("i", "init", 2, {})}), "pl.role_order", "ops[2].aot_exports[1].role"},
       {List({Step("run", "run", 0, {"input.x"})}), "pl.outputs", "ops[2].aot_exports[0]"},
       {List({run, Step("again", "run", 1, {})}), "xp.step_dup", "ops[2].aot_exports[0].step"}});
}

TEST(ParseOpArtifact, RefusesResourcesInTheWrongRoles) {
  const std::string run = Step("run", "run", 3, {"input.x", "output.out"});
  const std::string at = "ops[2].aot_exports[0]";
  const auto one = [](std::string_view name, std::string_view lifetime) {
    return fmt::format("[{}]", Storage(name, lifetime));
  };
  const std::string uses_both = Step("run", "run", 3, {"output.out", "prepared.p", "state.s"});
  ExpectFirstError(
      {{List({run}), "rs.unused", at, one("workspace.w", "call")},
       {List({Step("i", "init", 0, {"workspace.w"}), run}), "rs.ws_role", at,
        one("workspace.w", "call")},
       {List({Step("r", "reset", 0, {"prepared.p"}), run}), "rs.prep_role", at,
        one("prepared.p", "prepared")},
       {List({Step("p", "prepare", 0, {"prepared.p"}), run}), "rs.prep_pair", at,
        one("prepared.p", "prepared")},
       {List({Step("p", "prepare", 0, {"prepared.p"}), uses_both,
              Step("d", "destroy", 4, {"prepared.p", "state.s"})}),
        "rs.destroy_mix", "ops[2].aot_exports[2].bindings[2].source",
        fmt::format("[{},{}]", Storage("prepared.p", "prepared"), Storage("state.s", "engine"))}});
}

TEST(ParseOpArtifact, RefusesPlansThatOverlap) {
  const auto plan = [](std::string_view name, std::string_view specializes, int step = 0) {
    return Export(name, std::string(kOutput),
                  fmt::format("{{'plan':'{}','step':{},'specializes':{}}}", name.substr(0, 1), step,
                              specializes));
  };
  const std::string small = plan("a", "{'input.block_size':64}");
  ExpectFirstError({{List({small, plan("b", "{'input.sm_scale':1}")}), "xp.ambiguous",
                     "ops[2].aot_exports[1]", "[]", kDecode},
                    {List({plan("a", "{}"), plan("b", "{}")}), "xp.ambiguous",
                     "ops[2].aot_exports[1]", "[]", kDecode},
                    {List({small, plan("a2", "{'input.block_size':128}", 1)}),
                     "xp.spec_inconsistent", "ops[2].aot_exports[1].specializes", "[]", kDecode}});
  EXPECT_TRUE(Errors(kDecode, List({small, plan("b", "{'input.block_size':128}"), plan("c", "{}")}))
                  .empty());
  // In the rows of one plan 1 equals 1.0.
  EXPECT_TRUE(Errors(kDecode, List({plan("a", "{'input.sm_scale':1}"),
                                    plan("a2", "{'input.sm_scale':1.0}", 1)}))
                  .empty());
}

TEST(ParseOpArtifact, TakesOurProviderInStrictModeOnly) {
  const std::string row =
      List({Main("{'provider':'cuda.nvcc.cubin.v1','factory':'translation_unit'}")});
  EXPECT_TRUE(Errors(kSilu, row).empty());
  EXPECT_EQ(Errors(kSilu, row, "[]", bundle::Mode::kCompat)[0].code, Code("xp.provider"));
  ExpectFirstError({{List({Main("{'provider':'cuda.nvcc.cubin.v1'}")}), "xp.factory",
                     "ops[2].aot_exports[0].factory"},
                    {List({Main(), Export("b", std::string(kStream),
                                          "{'provider':'cuda.nvcc.cubin.v1','step':1,"
                                          "'factory':'translation_unit'}")}),
                     "xp.mixed", "ops[2].aot_exports[0].provider"}});
}

// Slots with prepare arguments, a prepare result and a bare group do not exist; their rules do.
constexpr CallResource kPrepared[] = {
    {.name = "input.x"},
    {.name = "input.packed", .kind = ResourceKind::kOpaque},
    {.name = "output.out", .access = Access::kWrite},
    {.name = "state.own", .access = Access::kReadWrite},
    {.name = "group.current", .kind = ResourceKind::kGroup},
};
constexpr std::string_view kPreparedArgs[] = {"input.x", "input.packed", "output.out"};
constexpr std::string_view kPrepareArgs[] = {"input.x", "output.out"};
constexpr CallAbi kPreparedAbi{.slot = "test.prepared",
                               .resources = kPrepared,
                               .call_args = kPreparedArgs,
                               .prepare_args = kPrepareArgs,
                               .prepare_result = "input.packed"};

std::string FirstOf(const std::string& row) {
  const ResourcePlan none{"test.prepared", {}};
  std::vector<Error> errors;
  ParseExport(J(row), {kPreparedAbi, none}, KeyPath("e"), errors);
  if (errors.empty()) return "accepted";
  return fmt::format("{} {}", errors[0].code.text(), errors[0].where.key_path);
}

TEST(ParseExport, KnowsSlotsThatPrepare) {
  const std::string packed = "{'source':'input.packed','kind':'opaque'}";
  EXPECT_EQ(FirstOf(Export("a", packed)),
            fmt::format("{} e.bindings[0].source", Code("bd.prepare_result").text()));
  EXPECT_EQ(FirstOf(Export("a", std::string(kOutput), "{'role':'prepare'}")),
            fmt::format("{} e.bindings[0].source", Code("pl.output_mut").text()));
  EXPECT_EQ(FirstOf(Export("a", std::string(kInput), "{'role':'prepare'}")), "accepted");
  EXPECT_EQ(FirstOf(Export("a",
                           "{'source':'group.current','kind':'pointer',"
                           "'projection':'native_handle'}")),
            fmt::format("{} e.bindings[0].projection", Code("bd.group_cap").text()));
  const auto collides =
      ParseResourcePlan(J("[{'name':'state.own','dtype':'f32','alignment':4,'lifetime':'engine',"
                          "'shape':[{'factors':[{'static':1}]}]}]"),
                        kPreparedAbi, KeyPath("r"));
  ASSERT_FALSE(collides.has_value());
  EXPECT_EQ(collides.error().code, Code("rs.collide"));
  EXPECT_EQ(collides.error().where.key_path, "r[0].name");
}

TEST(IdentifyExport, RefusesToSealFloats) {
  const Json exports = J(List({Export("main", std::string(kOutput),
                                      "{'prelaunch':[{'op':'fill','target':'output.out',"
                                      "'value':0.5}]}")}));
  std::vector<Error> errors;
  const OpArtifact op =
      ParseOpArtifact({.slot = kSilu, .exports = &exports}, KeyPath("ops[0]"), errors);
  ASSERT_TRUE(errors.empty());
  const Json identity = ExportToJson(op.exports[0]);
  EXPECT_EQ(*identity.Find("prelaunch")->as_array()[0].Find("value"),
            J("{'hex':'0x1.0000000000000p-1','type':'float'}"));
  EXPECT_EQ(IdentifyExport(op, op.exports[0], "k.py", "default").error().code,
            Code("identity.float"));
}

class FixedPlaces final : public bundle::Places {
 public:
  Place OfValue(std::string_view path) const override {
    return {.file = "manifest.toml", .line = 7, .column = 3, .key_path = std::string(path)};
  }
  Place OfKey(std::string_view path) const override { return OfValue(path); }
};

TEST(RowChecker, GivesPlacesOfTheDocumentAndKeepsTheArtifact) {
  const FixedPlaces places;
  const Json good =
      J(List({Export("main", std::string(kOutput), "{'specializes':{'input.block_size':64}}")}));
  std::vector<Error> errors;
  const bundle::ArtifactRows rows = RowChecker().Check(
      {.slot = kDecode, .row_path = "ops[0]", .exports = &good, .places = places}, errors);
  ASSERT_TRUE(errors.empty());
  ASSERT_NE(DirectArtifactOf(rows), nullptr);
  EXPECT_EQ(DirectArtifactOf(rows)->exports[0].name, "main");
  ASSERT_EQ(rows.specializations.size(), 1U);
  EXPECT_EQ(rows.specializations[0].capability_field, "block_size");
  EXPECT_EQ(rows.specializations[0].key_path,
            "ops[0].aot_exports[0].specializes.\"input.block_size\"");
  EXPECT_FALSE(rows.takes_cuda_sources);
  const Json bad = J("[1]");
  RowChecker().Check({.slot = kDecode, .row_path = "ops[0]", .exports = &bad, .places = places},
                     errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(FormatPlace(errors[0].where), "manifest.toml:7:3: ops[0].aot_exports[0]");
  EXPECT_EQ(DirectArtifactOf(bundle::ArtifactRows{}), nullptr);
}

}  // namespace
}  // namespace cacheon::artifact
