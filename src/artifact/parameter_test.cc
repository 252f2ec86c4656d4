// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/parameter.h"

#include <fmt/format.h>

#include "cacheon/artifact/materialize.h"
#include "cacheon/artifact/scalar_pack.h"
#include "cacheon/artifact/tma_descriptor.h"
#include "cacheon/core/sha256.h"
#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

Result<Parameter> Parse(const Json& row) { return ParseParameter(row, KeyPath("p")); }

TEST(ParseParameter, RefusesWrongRows) {
  ExpectRefusals(
      {{"1", "pm.fields", "p"},
       {"{'kind':'pointer','binding':0}", "pm.fields", "p"},
       {"{'kind':'packed_struct','size':8,'fields':{}}", "pm.fields_type", "p.fields"},
       {"{'kind':'pointer','size':0,'binding':0}", "pm.size", "p.size"},
       {"{'kind':'pointer','size':true,'binding':0}", "pm.size", "p.size"},
       {"{'kind':'u32','size':4}", "pm.kind", "p.kind"},
       {"{'kind':'pointer','size':4,'binding':0}", "pm.pointer_size", "p.size"},
       {"{'kind':'pointer','size':8}", "ex.binding_index", "p.binding"},
       {"{'kind':'pointer','size':8,'binding':0,'scalar_type':[]}", "pm.extraneous",
        "p.scalar_type"},
       {"{'kind':'tma_descriptor','size':64}", "pm.tma", "p"},
       {"{'kind':'group_handle','size':8,'binding':0,'group_projection':'rank'}", "pm.group", "p"},
       {fmt::format("{{'kind':'scalar','size':4,'scalar_type':'bf16','expression':{}}}", kOne),
        "pm.scalar", "p.scalar_type"},
       {"{'kind':'scalar','size':4,'scalar_type':'i32'}", "pm.scalar", "p"},
       {fmt::format("{{'kind':'scalar','size':8,'scalar_type':'i32','expression':{}}}", kOne),
        "pm.scalar", "p.size"},
       {"{'kind':'cutlass_fast_divmod_i32_v1','size':12}", "pm.fdm_cutlass", "p"},
       {"{'kind':'cute_fast_divmod_i32_v1','size':12}", "pm.fdm_cute", "p"}},
      Parse);
}

TEST(ParseParameter, RefusesWrongFields) {
  const auto packed = [](std::string_view fields, int size = 16) {
    return fmt::format("{{'kind':'packed_struct','size':{},'fields':[{}]}}", size, fields);
  };
  const std::string longest = std::string(8192, '0');
  ExpectRefusals(
      {{packed(""), "pk.empty", "p.fields"},
       {packed("1"), "pk.fields", "p.fields[0]"},
       {packed("{'data_hex':'00'}"), "pk.fields", "p.fields[0]"},
       {packed("{'offset':-1,'data_hex':'00'}"), "pk.offset", "p.fields[0].offset"},
       {packed("{'offset':0,'data_hex':'00','tensor_binding':0}"), "pk.one_of", "p.fields[0]"},
       {packed("{'offset':0}"), "pk.one_of", "p.fields[0]"},
       {packed("{'offset':0,'scalar_type':'i32'}"), "pk.scalar", "p.fields[0]"},
       {packed("{'offset':0,'data_hex':'fff'}"), "pk.literal_shape", "p.fields[0].data_hex"},
       {packed("{'offset':0,'data_hex':'" + longest + "00'}"), "pk.literal_shape",
        "p.fields[0].data_hex"},
       {packed("{'offset':0,'data_hex':'zz'}"), "pk.literal_hex", "p.fields[0].data_hex"},
       {packed("{'offset':0,'data_hex':'fF'}"), "pk.literal_case", "p.fields[0].data_hex"},
       {packed("{'offset':0,'data_hex':'" + longest + "'},{'offset':0,'data_hex':'00'}", 4096),
        "pk.literal_total", "p.fields"},
       {packed("{'offset':12,'tensor_binding':0}"), "pk.exceeds", "p.fields[0]"},
       {packed("{'offset':4,'data_hex':'00'},{'offset':3,'data_hex':'0000'}"), "pk.overlap",
        "p.fields[0]"},
       {packed(Repeat("{'offset':0,'data_hex':'00'}", 65)), "pm.field_count", "p.fields"}},
      Parse);
}

std::string Tma(std::string_view key = "", std::string_view value = "") {
  Json tma = J(fmt::format(
      "{{'binding':0,'element_type':'f16','global_dims':[{0},{0}],'global_strides':[{0}],"
      "'box_dims':[{0},{0}],'element_strides':[{0},{0}],'interleave':'none','swizzle':'none',"
      "'l2_promotion':'none','oob_fill':'none'}}",
      kOne));
  if (!key.empty()) tma[key] = J(std::string(value));
  return DocumentJson(Json::Object{{"kind", "tma_descriptor"}, {"size", 128}, {"tma", tma}});
}

TEST(ParseParameter, RefusesWrongTensorMaps) {
  const std::string one(kOne);
  EXPECT_TRUE(Parse(J(Tma())).has_value());
  ExpectRefusals({{Tma("extra", "1"), "tm.fields", "p.tma"},
                  {Tma("box_dims", "1"), "tm.list", "p.tma.box_dims"},
                  {Tma("global_dims", "[" + Repeat(one, 6) + "]"), "tm.rank", "p.tma.global_dims"},
                  {Tma("box_dims", "[" + one + "]"), "tm.exprs", "p.tma"},
                  {Tma("element_type", "'i8'"), "tm.element", "p.tma.element_type"},
                  {Tma("interleave", "'32b'"), "tm.interleave", "p.tma.interleave"},
                  {Tma("swizzle", "['none']"), "tm.swizzle", "p.tma.swizzle"},
                  {Tma("l2_promotion", "'l2_32b'"), "tm.l2", "p.tma.l2_promotion"},
                  {Tma("oob_fill", "'nan'"), "tm.oob", "p.tma.oob_fill"}},
                 Parse);
}

std::string Descriptor(std::string_view key = "", std::string_view value = "") {
  Json descriptor =
      J("{'address':4096,'element_type':'bf16','global_dims':[128,64],'global_strides':[256],"
        "'box_dims':[64,32],'element_strides':[1,1],'interleave':'none','swizzle':'none',"
        "'l2_promotion':'none','oob_fill':'none'}");
  if (!key.empty()) descriptor[key] = J(std::string(value));
  return DocumentJson(descriptor);
}

TEST(ParseTmaDescriptor, ChecksEveryNumber) {
  const auto parse = [](const Json& value) { return ParseTmaDescriptor(value, KeyPath("d")); };
  const std::string wide =
      "{'address':4096,'element_type':'bf16','global_dims':[16,8,4],'global_strides':[32,256],"
      "'box_dims':[8,8,4],'element_strides':[1,1,1],'interleave':'interleave_32b',"
      "'swizzle':'none','l2_promotion':'none','oob_fill':'none'}";
  EXPECT_TRUE(parse(J(Descriptor())).has_value());
  ExpectRefusals({{Descriptor("address", "1.5"), "tm.int", "d.address"},
                  {Descriptor("box_dims", "[64,true]"), "tm.int", "d.box_dims[1]"},
                  {Descriptor("address", "4104"), "tm.addr_align", ""},
                  {Descriptor("box_dims", "[64,0]"), "tm.nonpos", ""},
                  {Descriptor("global_dims", "[128,8589934592]"), "tm.dim_max", ""},
                  {Descriptor("global_strides", "[1099511627776]"), "tm.stride_max", ""},
                  {Descriptor("global_strides", "[264]"), "tm.stride_align", ""},
                  {Descriptor("global_strides", "[128]"), "tm.nested", ""},
                  {Descriptor("box_dims", "[64,257]"), "tm.box_max", ""},
                  {Descriptor("element_strides", "[1,9]"), "tm.estride_max", ""},
                  {Descriptor("box_dims", "[12,1]"), "tm.inner_16", ""},
                  {Descriptor("swizzle", "'swizzle_64b'"), "tm.swizzle_span", ""},
                  {Descriptor("interleave", "'interleave_16b'"), "tm.interleave_rank", ""},
                  {wide, "tm.il32_swizzle", ""},
                  {"{'address':4096,'element_type':'u8','global_dims':[256],'global_strides':[],"
                   "'box_dims':[16],'element_strides':[1],'interleave':'none','swizzle':'none',"
                   "'l2_promotion':'none','oob_fill':'nan_request_zero_fma'}",
                   "tm.nan_element", ""}},
                 parse);
}

TEST(PackScalar, RefusesWhatDoesNotFit) {
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(PackScalar(ScalarType::kU8, std::int64_t{256}, bytes).error().code,
            Code("ln.scalar_range"));
  EXPECT_EQ(PackScalar(ScalarType::kF16, 65520.0, bytes).error().code, Code("ln.scalar_range"));
  EXPECT_EQ(PackScalar(ScalarType::kF32, 3.5e38, bytes).error().code, Code("ln.scalar_range"));
  EXPECT_EQ(PackScalar(ScalarType::kBool, std::int64_t{1}, bytes).error().code,
            Code("ln.scalar_bool"));
  EXPECT_EQ(PackScalar(ScalarType::kF64, std::int64_t{1}, bytes).error().code,
            Code("ln.scalar_float"));
}

TEST(PackScalar, RoundsHalfToNearestEven) {
  const auto half = [](double value) {
    std::array<std::byte, 2> bytes{};
    EXPECT_TRUE(PackScalar(ScalarType::kF16, value, bytes).has_value());
    return ToHex(bytes);
  };
  EXPECT_EQ(half(1.0), "003c");
  EXPECT_EQ(half(65519.99), "ff7b");
  EXPECT_EQ(half(1.0 + 0x1p-11), "003c");
  EXPECT_EQ(half(1.0 + 0x3p-11), "023c");
  EXPECT_EQ(half(2.0 - 0x1p-12), "0040");
  EXPECT_EQ(half(0x1p-24), "0100");
  EXPECT_EQ(half(0x1p-25), "0000");
  EXPECT_EQ(half(-0x1p-26), "0080");
  EXPECT_EQ(half(0x1p-14 - 0x1p-26), "0004");
}

class NoDriver final : public ParameterServices {
 public:
  Result<TmaBytes> EncodeTma(const TmaArguments& arguments) override {
    TmaBytes bytes{};
    bytes[0] = static_cast<std::byte>(arguments.rank);
    return bytes;
  }
};

TEST(MaterializeParameter, RefusesLiveValuesThatDoNotFit) {
  const std::vector<LiveValue> frame = {std::int64_t{-1}, true, LiveGroup{}};
  NoDriver services;
  const auto code = [&](const std::string& row) {
    return MaterializeParameter(Parse(J(row)).value(), frame, services).error().code;
  };
  EXPECT_EQ(code("{'kind':'pointer','size':8,'binding':0}"), Code("ln.pointer"));
  EXPECT_EQ(code("{'kind':'pointer','size':8,'binding':1}"), Code("tf.inspect"));
  EXPECT_EQ(code("{'kind':'pointer','size':8,'binding':9}"), Code("ev.binding_missing"));
  EXPECT_EQ(code("{'kind':'group_handle','size':8,'binding':2,'group_projection':'native_handle'}"),
            Code("pm.group_provider"));
  EXPECT_EQ(code(fmt::format("{{'kind':'cute_fast_divmod_i32_v1','size':12,'expression':"
                             "{{'nodes':[{{'op':'const','value':0}}],'result':0,"
                             "'schema':'cacheon.cuda-expression-dag.v1'}}}}")),
            Code("pm.fdm_range"));
}

TEST(MaterializeParameter, AsksTheDriverForTensorMaps) {
  Json row = J(Tma());
  const std::int64_t shape[] = {1, 1};
  const std::vector<LiveValue> frame = {MakeLiveTensor(4096, shape, shape, 2, 0).value()};
  NoDriver services;
  // All numbers are 1: the stride is no multiple of 16.
  EXPECT_EQ(MaterializeParameter(Parse(row).value(), frame, services).error().code,
            Code("tm.stride_align"));
}

TEST(PackParameterBuffer, FollowsTheDriversLayout) {
  const std::vector<ParameterSlot> slots = {{0, 1}, {4, 2}};
  const std::vector<std::byte> one = {std::byte{1}};
  const std::vector<std::byte> two = {std::byte{2}, std::byte{3}};
  const auto pack = [&](std::vector<std::vector<std::byte>> values) {
    return PackParameterBuffer(slots, values);
  };
  EXPECT_EQ(ToHex(pack({one, two}).value()), "010000000203");
  EXPECT_EQ(pack({one}).error().code, Code("ln.count"));
  EXPECT_EQ(pack({two, two}).error().code, Code("ln.width"));
  EXPECT_EQ(pack({{}, two}).error().code, Code("ln.opaque"));
}

}  // namespace
}  // namespace cacheon::artifact
