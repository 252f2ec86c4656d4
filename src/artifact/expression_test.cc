// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/expression.h"

#include <fmt/format.h>

#include "cacheon/artifact/evaluate.h"
#include "cacheon/artifact/hex_float.h"
#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

std::string Nodes(std::string_view nodes, int result = 0) {
  return fmt::format("{{'nodes':[{}],'result':{},'schema':'cacheon.cuda-expression-dag.v1'}}",
                     nodes, result);
}

Result<Expression> Parse(const Json& value) { return ParseExpression(value, KeyPath("e")); }

TEST(ParseExpression, RefusesWrongTables) {
  ExpectRefusals(
      {{"[]", "ex.fields", "e"},
       {"{'nodes':[],'result':0}", "ex.fields", "e"},
       {"{'nodes':{},'result':0,'schema':'s'}", "ex.nodes_type", "e.nodes"},
       {Nodes(""), "ex.node_count", "e.nodes"},
       {Nodes(Repeat("{'op':'const','value':1}", 129)), "ex.node_count", "e.nodes"},
       {Nodes("{'op':'const','value':1}", 1), "ex.result_index", "e.result"},
       {"{'nodes':[{'op':'const','value':1}],'result':0,'schema':'v2'}", "ex.schema", "e.schema"}},
      Parse);
}

TEST(ParseExpression, RefusesWrongNodes) {
  const std::string one = "{'op':'const','value':1},";
  ExpectRefusals(
      {{Nodes("[1]"), "ex.node_fields", "e.nodes[0]"},
       {Nodes("{'value':1}"), "ex.node_fields", "e.nodes[0]"},
       {Nodes("{'op':3}"), "ex.op_type", "e.nodes[0].op"},
       {Nodes("{'op':'shl'}"), "ex.op_unknown", "e.nodes[0].op"},
       {Nodes(one + "{'op':'neg','operands':0}"), "ex.operands_type", "e.nodes[1].operands"},
       {Nodes(one + "{'op':'min','operands':[0,0,0,0,0,0,0,0,0]}"), "ex.operands_bound",
        "e.nodes[1].operands"},
       {Nodes(one + "{'op':'neg','operands':[true]}"), "ex.operand_index",
        "e.nodes[1].operands[0]"},
       {Nodes(one + "{'op':'neg','operands':[0,0]}"), "ex.arity", "e.nodes[1]"},
       {Nodes("{'op':'max'}"), "ex.arity", "e.nodes[0]"},
       {Nodes(one + "{'op':'neg','operands':[0],'axis':0}"), "ex.op_fields", "e.nodes[1]"},
       {Nodes(one + "{'op':'neg','operands':[1]}"), "ex.forward_ref", "e.nodes[1].operands[0]"},
       {Nodes(one + "{'op':'neg','operands':[4294967296]}"), "ex.forward_ref",
        "e.nodes[1].operands[0]"}},
      Parse);
}

TEST(ParseExpression, RefusesWrongConstantsAndSources) {
  ExpectRefusals(
      {{Nodes("{'op':'const','value':1,'axis':0}"), "ex.const_fields", "e.nodes[0]"},
       {Nodes("{'op':'const','value':null}"), "ev.not_scalar", "e.nodes[0]"},
       {Nodes("{'op':'const','value':'1'}"), "ex.value_type", "e.nodes[0].value"},
       {Nodes("{'op':'const','value':1.5}"), "ex.float_raw", "e.nodes[0].value"},
       {Nodes("{'op':'const','value':9223372036854775808}"), "ev.range", "e.nodes[0].value"},
       {Nodes("{'op':'const','value':{'f64_hex':1}}"), "ex.float_tag", "e.nodes[0].value"},
       {Nodes("{'op':'const','value':{'f64_hex':'zz'}}"), "ex.float_hex",
        "e.nodes[0].value.f64_hex"},
       {Nodes("{'op':'const','value':{'f64_hex':'1.5'}}"), "ex.float_canon",
        "e.nodes[0].value.f64_hex"},
       {Nodes("{'op':'tensor_numel','binding':0,'value':1}"), "ex.source_fields", "e.nodes[0]"},
       {Nodes("{'op':'tensor_numel','binding':64}"), "ex.binding_index", "e.nodes[0].binding"},
       {Nodes("{'op':'tensor_numel','binding':0,'axis':0}"), "ex.axis_unexpected",
        "e.nodes[0].axis"},
       {Nodes("{'op':'tensor_dim','binding':0}"), "ex.axis_range", "e.nodes[0].axis"}},
      Parse);
}

// Every operation on binding 0 (a tensor of 4 by 6), 1 (an integer), 2 (a bool) and 3 (a float).
std::vector<LiveValue> Frame() {
  const std::int64_t shape[] = {4, 6};
  const std::int64_t stride[] = {6, 1};
  return {MakeLiveTensor(4096, shape, stride, 2, 0).value(), std::int64_t{7}, true, 1.5};
}

Result<ExprValue> Evaluate(const Json& value) {
  const std::vector<LiveValue> frame = Frame();
  return EvaluateExpression(Parse(value).value(), frame);
}

std::string Op(std::string_view op, std::string_view a, std::string_view b) {
  return Nodes(fmt::format("{},{},{{'op':'{}','operands':[0,1]}}", a, b, op), 2);
}

constexpr std::string_view kInt = "{'op':'binding_scalar','binding':1}";
constexpr std::string_view kBool = "{'op':'binding_scalar','binding':2}";
constexpr std::string_view kFloat = "{'op':'binding_scalar','binding':3}";
constexpr std::string_view kZero = "{'op':'const','value':0}";

TEST(EvaluateExpression, RefusesWrongTypesAndRanges) {
  ExpectRefusals(
      {{Op("add", kInt, kFloat), "ev.arith_type", "nodes[2]"},
       {Op("mul", kBool, kBool), "ev.arith_type", "nodes[2]"},
       {Op("mod", kBool, kInt), "ev.arith_type", "nodes[2]"},
       {Op("mod", kFloat, kFloat), "ev.int_required", "nodes[2]"},
       {Op("floor_div", kInt, kZero), "ev.div_nonpos", "nodes[2]"},
       {Op("eq", kInt, kBool), "ev.compare_type", "nodes[2]"},
       {Op("and", kInt, kBool), "ev.logic_type", "nodes[2]"},
       {Op("or", kBool, kInt), "ev.logic_type", "nodes[2]"},
       {Op("min", kInt, kFloat), "ev.minmax_type", "nodes[2]"},
       {Nodes(fmt::format("{},{{'op':'neg','operands':[0]}}", kBool), 1), "ev.neg_bool",
        "nodes[1]"},
       {Nodes(fmt::format("{},{{'op':'not','operands':[0]}}", kInt), 1), "ev.logic_type",
        "nodes[1]"},
       {Nodes(fmt::format("{},{},{{'op':'select','operands':[0,0,1]}}", kBool, kInt), 2),
        "ev.select_type", "nodes[2]"},
       {Op("mul", "{'op':'const','value':9223372036854775807}", kInt), "ev.range", "nodes[2]"},
       {Op("mul", "{'op':'const','value':{'f64_hex':'0x1.0000000000000p+1023'}}",
           "{'op':'const','value':{'f64_hex':'0x1.0000000000000p+1'}}"),
        "ev.not_scalar", "nodes[2]"}},
      Evaluate);
}

TEST(EvaluateExpression, RefusesBindingsThatDoNotFit) {
  ExpectRefusals({{Nodes("{'op':'tensor_dim','binding':0,'axis':2}"), "ev.axis_live", "nodes[0]"},
                  {Nodes("{'op':'binding_scalar','binding':4}"), "ev.binding_missing", "nodes[0]"},
                  {Nodes("{'op':'tensor_numel','binding':4}"), "ev.binding_missing", "nodes[0]"},
                  {Nodes("{'op':'tensor_numel','binding':1}"), "tf.inspect", "nodes[0]"},
                  {Nodes("{'op':'binding_scalar','binding':0}"), "ev.not_scalar", "nodes[0]"}},
                 Evaluate);
}

TEST(EvaluateExpression, FirstAmongEqualZerosKeepsItsSign) {
  const std::string plus = "{'op':'const','value':{'f64_hex':'0x0.0p+0'}}";
  const std::string minus = "{'op':'const','value':{'f64_hex':'-0x0.0p+0'}}";
  EXPECT_EQ(HexFloat(std::get<double>(Evaluate(J(Op("min", plus, minus))).value())), "0x0.0p+0");
  EXPECT_EQ(HexFloat(std::get<double>(Evaluate(J(Op("max", minus, plus))).value())), "-0x0.0p+0");
}

TEST(MakeLiveTensor, RefusesImpossibleFacts) {
  const std::int64_t two[] = {1, 1};
  const std::int64_t one[] = {1};
  const std::int64_t negative[] = {-1};
  const std::vector<std::int64_t> many(17, 1);
  EXPECT_EQ(MakeLiveTensor(0, many, many, 1, 0).error().code, Code("tf.shape"));
  EXPECT_EQ(MakeLiveTensor(0, negative, one, 1, 0).error().code, Code("tf.shape"));
  EXPECT_EQ(MakeLiveTensor(0, two, one, 1, 0).error().code, Code("tf.stride"));
  EXPECT_EQ(MakeLiveTensor(0, two, two, 33, 0).error().code, Code("tf.elem"));
  EXPECT_EQ(MakeLiveTensor(0, two, two, 1, -1).error().code, Code("tf.offset"));
}

TEST(TensorAt, RefusesRankZeroInAnyUse) {
  const LiveValue scalar_tensor = MakeLiveTensor(16, {}, {}, 4, 0).value();
  EXPECT_EQ(TensorAt(std::span(&scalar_tensor, 1), 0).error().code, Code("tf.shape"));
}

TEST(HexFloat, ReadsBackEveryKindOfNumber) {
  for (const double value :
       {0.0, -0.0, 1.5, -3.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308}) {
    const HexFloatResult parsed = ParseHexFloat(HexFloat(value));
    EXPECT_FALSE(parsed.fault) << value;
    EXPECT_EQ(HexFloat(parsed.value), HexFloat(value));
  }
}

TEST(ParseHexFloat, TellsOtherSpellingsFromNonsense) {
  for (const char* text : {"0x1.8p+0", "1.5", "INF", "nan", "+0x1.8000000000000p+0", "0X1p0",
                           "0x1.0000000000000p-1080", "0x1.0000000000000p-1074"}) {
    EXPECT_EQ(ParseHexFloat(text).fault, HexFloatFault::kNotCanonical) << text;
  }
  for (const char* text : {"", "-", "0x", "zz", "0x1.0p+2000", "0x1p", "0x1..0p+0", "1.5 "}) {
    EXPECT_EQ(ParseHexFloat(text).fault, HexFloatFault::kNotHex) << text;
  }
}

}  // namespace
}  // namespace cacheon::artifact
