// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/resource_plan.h"

#include <fmt/format.h>

#include "cacheon/artifact/live_extent.h"
#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

Result<ResourcePlan> Parse(const Json& rows) {
  return ParseResourcePlan(rows, *FindCallAbi("attention.decode"), KeyPath("r"));
}

// A row of workspace.w; `members` are added or replaced.
std::string Row(const std::string& members = "{}") {
  Json row =
      J("{'name':'workspace.w','dtype':'f32','alignment':16,'lifetime':'call',"
        "'shape':[{'factors':[{'static':8}]}]}");
  const Json more = J(members);
  for (const auto& [key, value] : more.as_object()) row[key] = value;
  return DocumentJson(row);
}

std::string One(const std::string& members) { return "[" + Row(members) + "]"; }
std::string Shape(std::string_view shape) { return One(fmt::format("{{'shape':{}}}", shape)); }
std::string Factor(std::string_view factor) {
  return Shape(fmt::format("[{{'factors':[{}]}}]", factor));
}

TEST(ParseResourcePlan, RefusesWrongRows) {
  ExpectRefusals({{"{}", "rs.list", "r"},
                  {"[" + Repeat("1", 33) + "]", "rs.count", "r"},
                  {"[1]", "bd.table", "r[0]"},
                  {One("{'size':1}"), "rs.fields", "r[0]"},
                  {One("{'name':'workspace'}"), "rs.name", "r[0].name"},
                  {One("{'lifetime':'engine'}"), "rs.lifetime", "r[0].lifetime"},
                  {One("{'scope':'node'}"), "rs.scope", "r[0].scope"},
                  {One("{'scope':'group_ipc'}"), "rs.ipc_call", "r[0].scope"},
                  {One("{'dtype':'tf32'}"), "rs.dtype", "r[0].dtype"},
                  {One("{'alignment':3}"), "bd.align", "r[0].alignment"},
                  {One("{'alignment':2}"), "rs.align_dtype", "r[0].alignment"},
                  {"[" + Row() + "," + Row() + "]", "rs.dup", "r[1].name"}},
                 Parse);
}

TEST(ParseResourcePlan, RefusesWrongShapes) {
  const std::string big = "{'factors':[{'static':2147483647}]}";
  const std::string largest = "[{'factors':[{'static':262144}]},{'factors':[{'static':262144}]}]";
  ExpectRefusals(
      {{Shape("8"), "rs.shape_type", "r[0].shape"},
       {Shape("[8]"), "rs.extent_type", "r[0].shape[0]"},
       {Shape("[{'size':8}]"), "rs.extent_fields", "r[0].shape[0]"},
       {Shape("[{'factors':8}]"), "rs.factors_type", "r[0].shape[0].factors"},
       {Shape("[{'factors':[]}]"), "rs.factor_count", "r[0].shape[0].factors"},
       {Shape("[{'factors':[{'static':8}],'divisor':0}]"), "rs.divisor", "r[0].shape[0].divisor"},
       {Factor("{'static':2147483647},{'static':2147483647},{'static':2147483647}"), "rs.product",
        "r[0].shape[0]"},
       {Factor("{'static':65536},{'static':32768}"), "rs.extent_max", "r[0].shape[0]"},
       {Shape("[]"), "rs.rank", "r[0].shape"},
       {Shape("[" + big + "," + big + "]"), "rs.elements", "r[0].shape"},
       {Shape(largest), "rs.bytes", "r[0].shape"},
       {fmt::format("[{0},{1},{2}]",
                    Row("{'name':'workspace.a','dtype':'u8','shape':" + largest + "}"),
                    Row("{'name':'workspace.b','dtype':'u8','shape':" + largest + "}"),
                    Row("{'name':'workspace.c','dtype':'u8','shape':" + largest + "}")),
        "rs.total", "r"}},
      Parse);
}

TEST(ParseResourcePlan, RefusesWrongFactors) {
  const std::string at = "r[0].shape[0].factors[0]";
  const std::string source_at = at + ".source";
  const std::string axis_at = at + ".axis";
  ExpectRefusals(
      {{Factor("8"), "rs.factor_type", at},
       {Factor("{}"), "rs.factor_fields", at},
       {Factor("{'static':8,'upper_bound':8}"), "rs.factor_fields", at},
       {Factor("{'static':0}"), "rs.static", "r[0].shape[0].factors[0].static"},
       {Factor("{'source':'q','projection':'numel','upper_bound':8}"), "bd.source_name", source_at},
       {Factor("{'source':'input.q','projection':'stride','upper_bound':8}"), "rs.projection",
        "r[0].shape[0].factors[0].projection"},
       {Factor("{'source':'input.q','projection':'numel','upper_bound':0}"), "rs.upper",
        "r[0].shape[0].factors[0].upper_bound"},
       {Factor("{'source':'input.q','projection':'shape','upper_bound':8}"), "rs.axis", axis_at},
       {Factor("{'source':'input.q','projection':'numel','upper_bound':8,'axis':0}"), "rs.axis",
        axis_at},
       {Factor("{'source':'workspace.w','projection':'numel','upper_bound':8}"),
        "rs.source_unknown", source_at},
       {Factor("{'source':'stream.current','projection':'value','upper_bound':8}"), "rs.relation",
        "r[0].shape[0].factors[0].projection"}},
      Parse);
}

TEST(ParseResourcePlan, PreparedShapesKnowPositionalArgumentsOnly) {
  const auto parse = [](const Json& rows) {
    return ParseResourcePlan(rows, *FindCallAbi("collective.all_reduce"), KeyPath("r"));
  };
  const std::string prepared =
      "{'name':'prepared.p','lifetime':'prepared','shape':[{'factors':[{'source':'%','projection':"
      "'value','upper_bound':8}]}]}";
  std::string derived = prepared;
  derived.replace(derived.find('%'), 1, "group.size");
  ExpectRefusals({{One(derived), "rs.prep_source", "r[0].shape[0].factors[0].source"}}, parse);
}

Result<LiveShape> Evaluate(std::string_view factor, const std::vector<LiveResource>& live) {
  const ResourcePlan plan = Parse(J(Factor(factor))).value();
  return EvaluateShape(plan.resources[0], live);
}

TEST(EvaluateShape, RefusesLiveValuesOutsideTheirBounds) {
  const std::int64_t dims[] = {16, 4};
  const std::vector<LiveResource> live = {{"input.q", MakeLiveTensor(16, dims, dims, 2, 0).value()},
                                          {"input.block_size", 1.5}};
  const std::string q = "{'source':'input.q','projection':'shape','upper_bound':8,'axis':";
  const auto where = [&](const std::string& factor) {
    const Error error = Evaluate(factor, live).error();
    EXPECT_EQ(error.where.key_path, "shape[0].factors[0]");
    return error.code;
  };
  EXPECT_EQ(where(q + "0}"), Code("rx.bound"));
  EXPECT_EQ(where(q + "2}"), Code("rx.axis"));
  EXPECT_EQ(where("{'source':'input.block_size','projection':'value','upper_bound':8}"),
            Code("rx.not_int"));
  EXPECT_EQ(where("{'source':'input.k_cache','projection':'numel','upper_bound':8}"),
            Code("rx.unavailable"));
  const LiveShape shape = Evaluate(q + "1}", live).value();
  EXPECT_EQ(shape.dims[0], 4);
  EXPECT_EQ(shape.payload_bytes, 16);
  EXPECT_EQ(shape.reservation_bytes, 31);
}

}  // namespace
}  // namespace cacheon::artifact
