// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/binding.h"

#include <fmt/format.h>

#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

Result<std::vector<Binding>> Parse(const Json& rows) {
  return ParseBindings(rows, KeyPath("bindings"));
}

std::string Aggregate(std::string_view components, std::string_view more = "") {
  return fmt::format(
      "[{{'kind':'aggregate','cast':'Shape','component_cast':'i32','components':{}{}}}]",
      components, more);
}

TEST(ParseBindings, RefusesWrongRows) {
  ExpectRefusals(
      {{"{}", "bd.list", "bindings"},
       {"[]", "bd.count", "bindings"},
       {"[" + Repeat("{}", 65) + "]", "bd.count", "bindings"},
       {"[1]", "bd.table", "bindings[0]"},
       {"[{'kind':'buffer'}]", "bd.kind", "bindings[0].kind"},
       {"[{'kind':['tensor']}]", "bd.kind", "bindings[0].kind"},
       {"[{'kind':'tensor'}]", "bd.fields", "bindings[0]"},
       {"[{'kind':'tensor','source':'input.x','cast':'i32'}]", "bd.fields", "bindings[0]"},
       {"[{'kind':'tensor','source':'input.x','unsqueeze':0}]", "bd.unsqueeze_type",
        "bindings[0].unsqueeze"},
       {"[{'kind':'tensor','source':'input.x'},{'kind':'tensor','source':'x'}]", "bd.source_name",
        "bindings[1].source"},
       {"[{'kind':'tensor','source':'input.x.a.b.c'}]", "bd.source_name", "bindings[0].source"},
       {"[{'kind':'tensor','source':'input.x','projection':'address'}]", "bd.projection",
        "bindings[0].projection"},
       {"[{'kind':'tensor','source':'input.x','projection':['value']}]", "bd.projection",
        "bindings[0].projection"}},
      Parse);
}

TEST(ParseBindings, RefusesWrongOptionsOfTensorsAndPointers) {
  ExpectRefusals({{"[{'kind':'tensor','source':'input.x','projection':'value'}]", "bd.tensor_proj",
                   "bindings[0].projection"},
                  {"[{'kind':'tensor','source':'input.x','unsqueeze':[0,0,0,0,0,0,0,0,0]}]",
                   "bd.unsqueeze_count", "bindings[0].unsqueeze"},
                  {"[{'kind':'tensor','source':'input.x','unsqueeze':[0,17]}]", "bd.unsqueeze_dim",
                   "bindings[0].unsqueeze[1]"},
                  {"[{'kind':'tensor','source':'input.x','assumed_align':3}]", "bd.align",
                   "bindings[0].assumed_align"},
                  {"[{'kind':'pointer','source':'input.x','assumed_align':2097152}]", "bd.align",
                   "bindings[0].assumed_align"},
                  {"[{'kind':'tensor','source':'input.x','leading_dim':17}]", "bd.leading",
                   "bindings[0].leading_dim"},
                  {"[{'kind':'pointer','source':'input.x','projection':'shape'}]",
                   "bd.pointer_proj", "bindings[0].projection"},
                  {"[{'kind':'pointer','source':'state.s','projection':'device_ptr','peer_resource'"
                   ":'state.s'}]",
                   "bd.peer_option", "bindings[0].peer_resource"},
                  {"[{'kind':'pointer','source':'group.current','projection':'peer_ptr_table'}]",
                   "bd.source_name", "bindings[0].peer_resource"}},
                 Parse);
}

TEST(ParseBindings, RefusesWrongScalars) {
  ExpectRefusals(
      {{"[{'kind':'scalar','source':'input.eps'}]", "bd.cast_required", "bindings[0].cast"},
       {"[{'kind':'scalar','source':'input.eps','cast':'f8'}]", "bd.cast_required",
        "bindings[0].cast"},
       {"[{'kind':'scalar','source':'input.x','projection':'numel','cast':'f32'}]", "bd.cast_int",
        "bindings[0].cast"},
       {"[{'kind':'scalar','source':'input.x','projection':'shape','cast':'i32'}]", "bd.axis",
        "bindings[0].axis"},
       {"[{'kind':'scalar','source':'input.x','projection':'stride','cast':'i32','axis':16}]",
        "bd.axis", "bindings[0].axis"},
       {"[{'kind':'scalar','source':'input.eps','cast':'f32','axis':0}]", "bd.axis_forbidden",
        "bindings[0].axis"}},
      Parse);
}

TEST(ParseBindings, RefusesWrongAggregates) {
  const std::string leaf = "{'source':'input.x','projection':'shape','axis':0,'cast':'i32'}";
  ExpectRefusals(
      {{Aggregate("{}"), "bd.components_type", "bindings[0].components"},
       {Aggregate("[4]"), "bd.agg_node", "bindings[0].components[0]"},
       {Aggregate("[{'static':1,'cast':'i32'}]"), "bd.agg_fields", "bindings[0].components[0]"},
       {Aggregate("[[{'source':'input.x'}]]"), "bd.agg_fields", "bindings[0].components[0][0]"},
       {Aggregate("[{'static':9223372036854775808}]"), "bd.agg_static",
        "bindings[0].components[0].static"},
       {Aggregate("[{'source':'x','projection':'value','cast':'i32'}]"), "bd.source_name",
        "bindings[0].components[0].source"},
       {Aggregate("[{'source':'input.x','projection':'numel','cast':'i32'}]"), "bd.agg_leafproj",
        "bindings[0].components[0].projection"},
       {Aggregate("[{'source':'input.x','projection':'shape','cast':'u32','axis':0}]"),
        "bd.agg_leafcastval", "bindings[0].components[0].cast"},
       {Aggregate("[{'source':'input.x','projection':'shape','cast':'i32'}]"), "bd.agg_leafaxis",
        "bindings[0].components[0].axis"},
       {Aggregate("[{'source':'input.x','projection':'value','cast':'i32','axis':0}]"),
        "bd.agg_leafaxis", "bindings[0].components[0].axis"},
       {"[{'kind':'aggregate','cast':'Layout','component_cast':'i32','components':[]}]",
        "bd.agg_type", "bindings[0].cast"},
       {Aggregate("[]", ",'projection':'value'"), "bd.agg_proj", "bindings[0].projection"},
       {"[{'kind':'aggregate','cast':'Tile','component_cast':'u32','components':[]}]",
        "bd.agg_ccast", "bindings[0].component_cast"},
       {Aggregate("[[]]"), "bd.agg_children", "bindings[0].components[0]"},
       {Aggregate("[[[[[{'static':1}]]]]]"), "bd.agg_depth", "bindings[0].components[0][0][0][0]"},
       {Aggregate("[" + Repeat("[" + Repeat("{'static':1}", 11) + "]", 3) + "]"), "bd.agg_leaves",
        "bindings[0].components"},
       {Aggregate("[[" + Repeat(leaf, 9) + "],[" + Repeat(leaf, 8) + "]]"), "bd.agg_dynamic",
        "bindings[0].components"},
       {Aggregate("[{'source':'input.x','projection':'value','cast':'i64'}]"), "bd.agg_leafcast",
        "bindings[0].components"}},
      Parse);
}

TEST(ParseBindings, KeepsWhatIsWrittenAndFillsInTheProjection) {
  const auto bindings =
      Parse(J("[{'kind':'tensor','source':'input.x','unsqueeze':[-1,0],'assumed_align':16},"
              "{'kind':'scalar','source':'input.x','projection':'shape','axis':2,'cast':'i64'}]"))
          .value();
  EXPECT_EQ(BindingsToJson(bindings),
            J("[{'kind':'tensor','projection':'descriptor','source':'input.x','unsqueeze':[-1,0],"
              "'assumed_align':16},"
              "{'kind':'scalar','source':'input.x','projection':'shape','axis':2,'cast':'i64'}]"));
}

TEST(ParseBindings, TheCanonicalRowReadsBackAsItself) {
  const Json row = J(Aggregate(
      "[{'static':-3},[{'source':'input.x','projection':'stride','axis':1,'cast':'i32'}]]"));
  const Json once = BindingsToJson(Parse(row).value());
  EXPECT_EQ(BindingsToJson(Parse(once).value()), once);
}

}  // namespace
}  // namespace cacheon::artifact
