// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/descriptor.h"

#include <gtest/gtest.h>

namespace cacheon::policy {
namespace {

Result<CallDescriptor> Read(std::string_view text) {
  return CallDescriptor::FromJson(ReadJson(text).value());
}

void ExpectRefusal(std::string_view text, Code code, std::string_view key_path) {
  const auto call = Read(text);
  ASSERT_FALSE(call.has_value()) << text;
  EXPECT_EQ(call.error().code, code);
  EXPECT_EQ(call.error().where.key_path, key_path);
}

TEST(CallDescriptor, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(DocumentJson(Read(R"({"model": null, "phase": "Extend"})").value().ToJson()),
            R"({"phase":"prefill"})");
}

TEST(CallDescriptor, TakesTwoSpellingsThatAgree) {
  EXPECT_EQ(DocumentJson(Read(R"({"tp": 4, "TP-Size": 4})").value().ToJson()), R"({"tp_size":4})");
}

TEST(CallDescriptor, RefusesTwoSpellingsThatDisagree) {
  ExpectRefusal(R"({"tp": 4, "tp_size": 8})", "desc.conflict", "tp_size");
}

TEST(CallDescriptor, RefusesBadNamesAndValues) {
  ExpectRefusal(R"({"a.b": 1})", "cap.field_name", "a.b");
  ExpectRefusal(R"({"num_tokens": -1})", "cap.value", "num_tokens");
  ExpectRefusal(R"({"my_fact": 1.5})", "cap.value", "my_fact");
  ExpectRefusal("[]", "cap.object", "");
}

TEST(CallDescriptor, KeepsPrivateFieldsOfEveryKind) {
  const CallDescriptor call = Read(R"({"a": true, "b": -1, "c": "X-y"})").value();
  EXPECT_EQ(*call.Find("a"), Scalar(true));
  EXPECT_EQ(*call.Find("b"), Scalar(std::int64_t{-1}));
  EXPECT_EQ(*call.Find("c"), Scalar(std::string("x_y")));
}

TEST(CallDescriptor, OverwritesAndClears) {
  CallDescriptor call;
  call.Set(Field::kNumTokens, 1);
  call.Set(Field::kNumTokens, 2);
  call.Set(Field::kDtype, "bf16");
  EXPECT_EQ(call.Text(), "dtype='bfloat16', num_tokens=2");
  call.Clear(Field::kDtype);
  EXPECT_EQ(call.Find(Field::kDtype), nullptr);
  EXPECT_EQ(*call.Find("num_tokens"), Scalar(std::int64_t{2}));
}

TEST(CanonicalFieldName, FoldsCaseOfEveryAlphabet) {
  EXPECT_EQ(CanonicalFieldName("TOP_\u212a").value(), "top_k");  // the Kelvin sign
  EXPECT_EQ(CanonicalFieldName("\u3000arch\u2009").value(), "architecture");
  EXPECT_EQ(CanonicalFieldName("caf\u00e9").error().code, Code("cap.field_name"));
}

TEST(CanonicalText, KeepsTheSpellingOfModelsOnly) {
  EXPECT_EQ(CanonicalText("model", " MiniMax-M3\n"), "MiniMax-M3");
  EXPECT_EQ(CanonicalText("runtime", " SG-Lang\n"), "sg_lang");
  EXPECT_EQ(CanonicalText("architecture", "SM-SM-1"), "smsm_1");
  EXPECT_EQ(CanonicalText("graph_mode", "Graphs-On"), "cuda_graph");
  EXPECT_EQ(CanonicalText("quant", "\t"), std::nullopt);
}

}  // namespace
}  // namespace cacheon::policy
