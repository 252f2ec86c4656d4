// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/device_plan.h"

#include <fmt/format.h>

#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

Result<DevicePlan> Parse(const Json& value) { return ParseDevicePlan(value, KeyPath("d")); }

std::string Dims(std::string_view x = kOne) {
  return fmt::format("{{'x':{},'y':{},'z':{}}}", x, kOne, kOne);
}

// A launch of kernel k0 with one pointer; `members` are added or replaced.
std::string Launch(const std::string& members = "{}") {
  Json row = J(fmt::format(
      "{{'ordinal':0,'kernel':'k0','grid':{0},'block':{0},'shared_mem_bytes':{1},'parameters':"
      "[{{'kind':'pointer','size':8,'binding':0}}],'stream_binding':1,'attributes':{{}}}}",
      Dims(), kOne));
  const Json more = J(members);
  for (const auto& [key, value] : more.as_object()) row[key] = value;
  return DocumentJson(row);
}

std::string Plan(const std::string& launches,
                 std::string_view kernels = "{'name':'k0','parameter_sizes':[8]}") {
  return fmt::format("{{'schema':'cacheon.device-launch-plan.v1','kernels':[{}],'launches':[{}]}}",
                     kernels, launches);
}

TEST(ParseDevicePlan, RefusesWrongTables) {
  const std::string launch = Launch();
  ExpectRefusals(
      {{"[]", "dp.fields", "d"},
       {"{'schema':'s','kernels':[]}", "dp.fields", "d"},
       {"{'schema':'s','kernels':{},'launches':[]}", "dp.lists", "d.kernels"},
       {"{'schema':'s','kernels':[],'launches':[]}", "dp.schema", "d.schema"},
       {Plan(launch, ""), "dp.kernel_count", "d.kernels"},
       {Plan(""), "dp.launch_count", "d.launches"},
       {Plan(launch, "{'name':'k1','parameter_sizes':[]},{'name':'k0','parameter_sizes':[8]}"),
        "dp.kernel_order", "d.kernels[1].name"},
       {Plan(launch, "{'name':'k0'}"), "kc.fields", "d.kernels[0]"},
       {Plan(launch, "{'name':'k0','parameter_sizes':8}"), "kc.sizes_type",
        "d.kernels[0].parameter_sizes"},
       {Plan(launch, "{'name':'0k','parameter_sizes':[8]}"), "kc.name", "d.kernels[0].name"},
       {Plan(launch, "{'name':'k0','parameter_sizes':[0]}"), "kc.sizes",
        "d.kernels[0].parameter_sizes[0]"},
       {Plan(launch, "{'name':'k0','parameter_sizes':[" + Repeat("8", 257) + "]}"), "kc.sizes",
        "d.kernels[0].parameter_sizes"}},
      Parse);
}

TEST(ParseDevicePlan, RefusesWrongLaunches) {
  const std::string pointer = "{'kind':'pointer','size':8,'binding':0}";
  ExpectRefusals(
      {{Plan("1"), "dp.inv_fields", "d.launches[0]"},
       {Plan(Launch("{'stream':0}")), "dp.inv_fields", "d.launches[0]"},
       {Plan(Launch("{'parameters':{}}")), "dp.inv_params", "d.launches[0].parameters"},
       {Plan(Launch("{'ordinal':256}")), "dp.ordinal_range", "d.launches[0].ordinal"},
       {Plan(Launch("{'ordinal':1}")), "dp.ordinals", "d.launches[0].ordinal"},
       {Plan(Launch("{'kernel':'k1'}")), "dp.kernel_ref", "d.launches[0].kernel"},
       {Plan(Launch("{'grid':{'x':1}}")), "dp.dim_fields", "d.launches[0].grid"},
       {Plan(Launch("{'cluster':false}")), "dp.dim_fields", "d.launches[0].cluster"},
       {Plan(Launch("{'stream_binding':64}")), "dp.stream_range", "d.launches[0].stream_binding"},
       {Plan(Launch("{'parameters':[]}")), "dp.widths", "d.launches[0].parameters"},
       {Plan(Launch(), "{'name':'k0','parameter_sizes':[4]}"), "dp.widths",
        "d.launches[0].parameters[0].size"},
       {Plan(Launch("{'parameters':[" + Repeat(pointer, 257) + "]}")), "dp.param_count",
        "d.launches[0].parameters"}},
      Parse);
}

TEST(ParseDevicePlan, RefusesWrongAttributes) {
  const auto with = [](std::string_view attributes) {
    return Plan(Launch(fmt::format("{{'attributes':{}}}", attributes)));
  };
  const std::string at = "d.launches[0].attributes";
  const std::string enum_at = at + ".cluster_scheduling";
  ExpectRefusals(
      {{with("[]"), "ln.attr_fields", at},
       {with("{'mem_sync_domain':1}"), "ln.attr_fields", at},
       {with("{'cooperative':1}"), "ln.attr_bool", "d.launches[0].attributes.cooperative"},
       {with("{'cluster_scheduling':'fair'}"), "ln.attr_enum", enum_at},
       {with("{'priority':true}"), "ln.attr_priority", "d.launches[0].attributes.priority"}},
      Parse);
}

std::vector<Binding> Bindings(std::string_view rows) {
  return ParseBindings(J(fmt::format("[{}]", rows)), KeyPath("b")).value();
}

constexpr std::string_view kTensorAndStream =
    "{'source':'input.x','kind':'tensor'},{'source':'stream.current','kind':'stream'},"
    "{'source':'group.current','kind':'group'}";

TEST(JoinDevicePlan, RefusesReferencesThatDoNotFit) {
  const std::vector<Binding> bindings = Bindings(kTensorAndStream);
  const auto join = [&](const Json& value) {
    return JoinDevicePlan(Parse(value).value(), bindings, {}, KeyPath("d"));
  };
  const auto parameter = [](std::string_view row) {
    return Plan(Launch(fmt::format("{{'parameters':[{}]}}", row)));
  };
  std::string scalar_read(kDim);
  scalar_read.replace(scalar_read.find("tensor_dim','binding':0,'axis':0"), 32,
                      "binding_scalar','binding':0");
  EXPECT_TRUE(join(J(Plan(Launch()))).has_value());
  ExpectRefusals(
      {{parameter("{'kind':'pointer','size':8,'binding':3}"), "jn.missing",
        "d.launches[0].parameters[0].binding"},
       {parameter("{'kind':'pointer','size':8,'binding':1}"), "jn.kind",
        "d.launches[0].parameters[0].binding"},
       {Plan(Launch(fmt::format("{{'grid':{}}}", Dims(scalar_read)))), "jn.kind",
        "d.launches[0].grid.x.nodes[0].binding"},
       {parameter("{'kind':'packed_struct','size':8,'fields':[{'offset':0,'tensor_binding':1}]}"),
        "jn.kind", "d.launches[0].parameters[0].fields[0].tensor_binding"},
       {parameter("{'kind':'group_handle','size':8,'binding':0,"
                  "'group_projection':'native_handle'}"),
        "jn.kind", "d.launches[0].parameters[0].binding"},
       {parameter("{'kind':'group_handle','size':8,'binding':2,"
                  "'group_projection':'native_handle'}"),
        "jn.capability", "d.launches[0].parameters[0]"},
       {Plan(Launch("{'stream_binding':0}")), "jn.stream", "d.launches[0].stream_binding"}},
      join);
}

TEST(JoinDevicePlan, RefusesMoreBindingsThanIndexes) {
  const std::vector<Binding> many(65);
  const Status joined = JoinDevicePlan(Parse(J(Plan(Launch()))).value(), many, {}, KeyPath("d"));
  ASSERT_FALSE(joined.has_value());
  EXPECT_EQ(joined.error().code, Code("jn.count"));
  EXPECT_EQ(joined.error().where.key_path, "d");
}

TEST(DevicePlanToJson, WritesEveryKeyAndReadsBackAsItself) {
  const std::string full = Plan(Launch(fmt::format(
      "{{'cluster':{},'attributes':{{'cooperative':true,'priority':-5}}}}", Dims(kDim))));
  const Json once = DevicePlanToJson(Parse(J(full)).value());
  EXPECT_EQ(DevicePlanToJson(Parse(once).value()), once);
  EXPECT_TRUE(once.Find("launches")->as_array()[0].Find("attributes")->Find("shared_memory_mode") !=
              nullptr);
}

TEST(ParseLaunchSpec, RefusesGeometryThatNoDeviceRuns) {
  const auto parse = [](const Json& value) { return ParseLaunchSpec(value, KeyPath("s")); };
  const auto spec = [](const std::string& members) {
    Json value =
        J("{'schema':'cacheon.cuda-launch.v1','kernel':'k','grid':{'x':8,'y':1,'z':1},"
          "'block':{'x':1,'y':1,'z':1},'shared_mem_bytes':0,'attributes':{}}");
    const Json more = J(members);
    for (const auto& [key, member] : more.as_object()) value[key] = member;
    return DocumentJson(value);
  };
  ExpectRefusals(
      {{"1", "dp.inv_fields", "s"},
       {spec("{'extra':1}"), "dp.inv_fields", "s"},
       {spec("{'schema':'v2'}"), "dp.schema", "s.schema"},
       {spec("{'kernel':'1k'}"), "kc.name", "s.kernel"},
       {spec("{'grid':[]}"), "dp.dim_fields", "s.grid"},
       {spec("{'grid':{'x':0,'y':1,'z':1}}"), "dp.dim_range", "s.grid.x"},
       {spec("{'shared_mem_bytes':1048577}"), "dp.shmem", "s.shared_mem_bytes"},
       {spec("{'block':{'x':1025,'y':1,'z':1}}"), "ln.block", ""},
       {spec("{'block':{'x':4294967295,'y':4294967295,'z':4294967295}}"), "ln.block", ""},
       {spec("{'cluster':{'x':33,'y':1,'z':1}}"), "ln.cluster", ""},
       {spec("{'cluster':{'x':3,'y':1,'z':1}}"), "ln.divide", ""},
       {spec("{'attributes':{'cluster_scheduling':'default'}}"), "ln.cluster_attr", ""}},
      parse);
}

}  // namespace
}  // namespace cacheon::artifact
