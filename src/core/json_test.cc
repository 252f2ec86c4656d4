// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cacheon/core/code.h"
#include "cacheon/core/result.h"

namespace cacheon {
namespace {

TEST(ReadJson, KeepsIntegersOfAnySize) {
  const Json value =
      ReadJson("[9223372036854775807, 9223372036854775808, -9223372036854775809]").value();
  EXPECT_TRUE(value.as_array()[0].is_int64());
  EXPECT_EQ(value.as_array()[1].as_big_integer().decimal, "9223372036854775808");
  EXPECT_EQ(value.as_array()[2].as_big_integer().decimal, "-9223372036854775809");
  EXPECT_EQ(CanonicalJson(value).value(),
            "[9223372036854775807,9223372036854775808,-9223372036854775809]");
}

TEST(ReadJson, TellsFloatsFromIntegers) {
  const Json value = ReadJson("[1, 1.0, 1e3]").value();
  EXPECT_TRUE(value.as_array()[0].is_integer());
  EXPECT_TRUE(value.as_array()[1].is_float());
  EXPECT_TRUE(value.as_array()[2].is_float());
}

TEST(ReadJson, SaysWhereSyntaxIsWrong) {
  const Result<Json> value = ReadJson("{\"a\": 1,\n \"\xC3\xA9\": !}");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code, Code("json.syntax"));
  EXPECT_EQ(value.error().where.line, 2);
  EXPECT_EQ(value.error().where.column, 7);
}

// The library that scans the text would end it at a NUL and skip a byte order mark.
TEST(ReadJson, RefusesBytesThatAnotherReaderMayHide) {
  const Error nul = ReadJson(std::string_view("[1]\0[2]", 7)).error();
  EXPECT_EQ(nul.code, Code("json.syntax"));
  EXPECT_EQ(nul.where.column, 4);
  const Error mark = ReadJson("\xEF\xBB\xBF[1]").error();
  EXPECT_EQ(mark.code, Code("json.syntax"));
  EXPECT_EQ(mark.where, (Place{.line = 1, .column = 1}));
}

TEST(ReadJson, RefusesTextThatIsNotUtf8) {
  const Error error = ReadJson("[\"a\xFF\"]").error();
  EXPECT_EQ(error.code, Code("json.syntax"));
  EXPECT_EQ(error.where, (Place{.line = 1, .column = 4}));
}

TEST(ReadJson, RefusesDuplicateKeysUnlessAsked) {
  const Error error = ReadJson("{\"a\":1,\n\"a\":2}").error();
  EXPECT_EQ(error.code, Code("json.duplicate_key"));
  EXPECT_EQ(error.where, (Place{.line = 2, .column = 3}));
  const Json value = ReadJson(R"({"a":1,"a":[2]})", {.allow_duplicate_keys = true}).value();
  EXPECT_EQ(DocumentJson(value), R"({"a":[2]})");
}

TEST(ReadJson, BoundsDepthSizeAndCount) {
  const Error deep = ReadJson(std::string(1000, '[')).error();
  EXPECT_EQ(deep.code, Code("json.depth"));
  EXPECT_EQ(deep.where, (Place{.line = 1, .column = 129}));
  const Error many = ReadJson("[1,2,3]", {.max_values = 3}).error();
  EXPECT_EQ(many.code, Code("json.too_large"));
  EXPECT_EQ(many.where, (Place{.line = 1, .column = 7}));
  const Error large = ReadJson("[1,2,3]", {.max_bytes = 6}).error();
  EXPECT_EQ(large.code, Code("json.too_large"));
  EXPECT_EQ(large.where, Place{});  // the text was not looked at
  EXPECT_TRUE(ReadJson("[1,2,3]", {.max_bytes = 7, .max_values = 4}).has_value());
}

TEST(ReadJson, CountsContainersAsValues) {
  EXPECT_EQ(ReadJson("[[],{},[]]", {.max_values = 3}).error().code, Code("json.too_large"));
  EXPECT_TRUE(ReadJson("[[],{},[]]", {.max_values = 4}).has_value());
}

TEST(CanonicalJson, SortsKeysByCodePointNotByUtf16) {
  // U+FFFF sorts before U+10000 by code point and after it by UTF-16 unit.
  const Json value = ReadJson("{\"\U00010000\":1,\"\uFFFF\":2,\"a\":3}").value();
  EXPECT_EQ(CanonicalJson(value).value(), "{\"a\":3,\"\uFFFF\":2,\"\U00010000\":1}");
}

TEST(CanonicalJson, EscapesOnlyWhatItMust) {
  EXPECT_EQ(CanonicalJson(Json("\"\\\b\f\n\r\t\x01\x1f\x7f/\u00e9")).value(),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f/\u00e9\"");
}

TEST(CanonicalJson, RefusesFloatsAndBadText) {
  const Error number =
      CanonicalJson(Json::Array{1, Json::Object{{"x", Json::Array{0, 1.5}}}}).error();
  EXPECT_EQ(number.code, Code("identity.float"));
  EXPECT_EQ(number.where, Place{.key_path = "[1].x[1]"});
  const Error text = CanonicalJson(Json::Object{{"a", Json::Object{{"b", "\xff"}}}}).error();
  EXPECT_EQ(text.code, Code("identity.not_utf8"));
  EXPECT_EQ(text.where, Place{.key_path = "a.b"});
  const Error key = CanonicalJson(Json::Object{{"a", Json::Object{{"\xff", 1}}}}).error();
  EXPECT_EQ(key.code, Code("identity.not_utf8"));
  EXPECT_EQ(key.where, Place{.key_path = "a"});
}

TEST(DocumentJson, WritesFloatsThatReadBackTheSame) {
  for (const double value : {0.1, 1.0, -0.0, 1e300, 5e-324, 1.0 / 3.0, 123456789.0}) {
    const std::string text = DocumentJson(Json(value));
    const Json back = ReadJson(text).value();
    ASSERT_TRUE(back.is_float()) << text;
    EXPECT_EQ(back.as_float(), value) << text;
    EXPECT_EQ(std::signbit(back.as_float()), std::signbit(value)) << text;
  }
  EXPECT_EQ(DocumentJson(Json(std::numeric_limits<double>::quiet_NaN())), "\"nan\"");
  EXPECT_EQ(DocumentJson(Json(-std::numeric_limits<double>::infinity())), "\"-inf\"");
}

// Messages may carry file names of a bundle; the document stays JSON.
TEST(DocumentJson, StaysUtf8WhateverTheTextIs) {
  EXPECT_EQ(DocumentJson(Json::Object{{"k\xff", "a\xe2\x82z"}}),
            "{\"k\uFFFD\":\"a\uFFFD\uFFFDz\"}");
}

TEST(PrettyJson, IndentsForPeople) {
  EXPECT_EQ(PrettyJson(Json::Object{{"a", Json::Array{1, 2}}, {"b", Json::Object{}}}),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(DomainDigest, ChecksDomainAndVersion) {
  for (const char* domain : {"Bad", "", "-a", "a b"}) {
    const Error error = DomainDigest(domain, Json()).error();
    EXPECT_EQ(error.code, Code("identity.domain")) << domain;
    EXPECT_EQ(error.where, Place{.key_path = "domain"});
  }
  const Error version = DomainDigest("good.domain-1_x", Json(), 0).error();
  EXPECT_EQ(version.code, Code("identity.schema_version"));
  EXPECT_EQ(version.where, Place{.key_path = "schema_version"});
  EXPECT_EQ(DomainDigest("good.domain-1_x", Json::Array{1.5}).error().where,
            Place{.key_path = "payload[0]"});
  EXPECT_EQ(DomainDigest("good.domain-1_x", Json()).value().size(), 64U);
}

}  // namespace
}  // namespace cacheon
