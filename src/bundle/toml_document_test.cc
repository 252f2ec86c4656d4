// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/toml_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/bundle/toml_number.h"
#include "src/bundle/toml_precheck.h"

namespace cacheon::bundle {
namespace {

// "CODE LINE:COLUMN" of a document that is refused.
std::string Outcome(std::string_view text) {
  const auto document = ParseToml(text, "m.toml");
  if (document) return "accepted";
  const Error& error = document.error();
  EXPECT_EQ(error.where.file, "m.toml");
  return fmt::format("{} {}:{}", error.code.text(), error.where.line, error.where.column);
}

Json ValueOf(std::string_view literal) {
  const auto document = ParseToml(fmt::format("v = {}\n", literal), "m.toml");
  if (!document) return Json(std::string(document.error().code.text()));
  return *document->root.Find("v");
}

Json Big(std::string decimal) { return Json(Json::BigInteger{std::move(decimal)}); }

TEST(Toml, KeepsIntegersOfAnySize) {
  EXPECT_EQ(ValueOf("9223372036854775807"), Json(INT64_MAX));
  EXPECT_EQ(ValueOf("9223372036854775808"), Big("9223372036854775808"));
  EXPECT_EQ(ValueOf("-9223372036854775808"), Json(INT64_MIN));
  EXPECT_EQ(ValueOf("-9_223_372_036_854_775_809"), Big("-9223372036854775809"));
  EXPECT_EQ(ValueOf("+18446744073709551615"), Big("18446744073709551615"));
  EXPECT_EQ(ValueOf("0xFFFF_FFFF_FFFF_FFFF"), Big("18446744073709551615"));
  EXPECT_EQ(ValueOf("0b" + std::string(65, '1')), Big("36893488147419103231"));
  EXPECT_EQ(ValueOf("0o7777777777777777777777"), Big("73786976294838206463"));
  EXPECT_EQ(ValueOf("0x0000000000000000000000000000000000001"), Json(1));
  EXPECT_EQ(ValueOf(std::string(4300, '9')), Big(std::string(4300, '9')));
  EXPECT_EQ(ValueOf(std::string(4301, '9')), Json("manifest.toml_syntax"));
}

TEST(Toml, KeepsFloatsBeyondTheRange) {
  EXPECT_EQ(ValueOf("1e400"), Json(HUGE_VAL));
  EXPECT_EQ(ValueOf("-1e400"), Json(-HUGE_VAL));
  EXPECT_EQ(ValueOf("1e-400"), Json(0.0));
  EXPECT_EQ(ValueOf("4.9e-324"), Json(4.9e-324));
  EXPECT_EQ(ValueOf("1_0.2_5"), Json(10.25));
  EXPECT_EQ(ValueOf("0." + std::string(200, '3')), Json(1.0 / 3));
  EXPECT_TRUE(std::isnan(ValueOf("-nan").as_float()));
}

TEST(Toml, ReplacesOnlyValues) {
  const std::string digits = "99999999999999999999";
  const auto document =
      ParseToml(digits + " = 1\na = [ \"" + digits + "\", " + digits + ", {" + digits + " = " +
                    digits + "} ] # " + digits + "\nb = '''\n" + digits + "''' \n[x." + digits +
                    "]\ny = \"\\\" " + digits + "\"\n",
                "m.toml");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.Find(digits)->as_int64(), 1);
  const Json::Array& items = document->root.Find("a")->as_array();
  EXPECT_EQ(items[0], Json(digits));
  EXPECT_EQ(items[1], Big(digits));
  EXPECT_EQ(*items[2].Find(digits), Big(digits));
  EXPECT_EQ(*document->root.Find("b"), Json(digits));
  EXPECT_EQ(*document->root.Find("x")->Find(digits)->Find("y"), Json("\" " + digits));
}

TEST(Toml, KeepsPlacesBehindReplacedLiterals) {
  const auto document =
      ParseToml("a = [ \"\u00e9\u4e2d\", 1e999, 99999999999999999999, \"x\" ]\n", "m.toml");
  ASSERT_TRUE(document);
  EXPECT_EQ(*document->root.Find("a"),
            (Json::Array{"\u00e9\u4e2d", HUGE_VAL, Big("99999999999999999999"), "x"}));
  EXPECT_EQ(document->places->OfValue("a[3]").column, 42);
}

TEST(Toml, KeepsDatesApartFromStrings) {
  EXPECT_EQ(ValueOf("2026-01-02"), (Json::Object{{"$toml.date", "2026-01-02"}}));
  EXPECT_EQ(ValueOf("\"2026-01-02\""), Json("2026-01-02"));
}

TEST(Toml, RefusesWhatIsNotTextOfTheFormat) {
  EXPECT_EQ(Outcome("\xEF\xBB\xBF"
                    "a = 1\n"),
            "manifest.toml_syntax 1:1");
  EXPECT_EQ(Outcome("a = 1\nb = \"\xff\"\n"), "manifest.toml_syntax 2:1");
  EXPECT_EQ(Outcome("a = \"\xed\xa0\x80\"\n"), "manifest.toml_syntax 1:1");  // a surrogate
  EXPECT_EQ(Outcome(std::string_view("a = \"\0\"\n", 8)), "manifest.toml_syntax 1:6");
  EXPECT_EQ(Outcome("a = 1\rb = 2\n"), "manifest.toml_syntax 1:6");
  EXPECT_EQ(Outcome("a = 1\r\nb = 2\r\n"), "accepted");
  EXPECT_EQ(Outcome("a = \n"), "manifest.toml_syntax 1:5");
  EXPECT_EQ(Outcome("a = 1\na = 2\n"), "manifest.toml_syntax 2:5");
  EXPECT_EQ(Outcome("a = [1, 2\n"), "manifest.toml_syntax 1:11");
  EXPECT_EQ(Outcome("a = 01\n"), "manifest.toml_syntax 1:7");
}

TEST(Toml, BoundsSize) {
  EXPECT_EQ(Outcome(std::string(kMaxTomlBytes, '\n')), "accepted");
  EXPECT_EQ(Outcome(std::string(kMaxTomlBytes + 1, '\n')), "manifest.too_large 0:0");
}

TEST(Toml, BoundsNestingOfEveryKind) {
  const auto nested = [](int depth, std::string_view open, std::string_view close) {
    std::string text = "a = ";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "\n";
  };
  const int most = kMaxTomlDepth - 1;  // the key itself is the first level
  EXPECT_EQ(Outcome(nested(most, "[", "]")), "accepted");
  EXPECT_EQ(Outcome(nested(most + 1, "[", "]")), fmt::format("manifest.too_deep 1:{}", most + 5));
  EXPECT_EQ(Outcome(nested(most, "{a=", "}")), "accepted");
  EXPECT_EQ(Outcome(nested(most + 1, "{a=", "}")).substr(0, 17), "manifest.too_deep");
  EXPECT_EQ(Outcome(nested(most, "{a.a.a=", "}")).substr(0, 17), "manifest.too_deep");
  std::string dotted = "a";
  for (int i = 0; i < 200'000; ++i) dotted += ".a";
  EXPECT_EQ(Outcome(dotted + " = 1\n"), fmt::format("manifest.too_deep 1:{}", 2 * kMaxTomlDepth));
  EXPECT_EQ(Outcome("[" + dotted + "]\n").substr(0, 17), "manifest.too_deep");
  EXPECT_EQ(Outcome("[[" + dotted + "]]\n").substr(0, 17), "manifest.too_deep");
  EXPECT_EQ(Outcome("a = " + std::string(500'000, '[')).substr(0, 17), "manifest.too_deep");
}

TEST(Toml, DoesNotCountWhatIsClosed) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("k{} = [[[{{a.b = []}}]]] # [[[\n", i);
  text += "s = \"[[[[\" \nt = '''\n[[[[[\n'''\n[a.b]\n[c.d]\n";
  EXPECT_EQ(Outcome(text), "accepted");
}

TEST(Toml, EndsOnHostileDocuments) {
  std::string keys;
  for (int i = 0; keys.size() + 20 < kMaxTomlBytes; ++i) keys += fmt::format("k{} = 1\n", i);
  EXPECT_EQ(Outcome(keys), "accepted");
  std::string infinities = "a = [";
  while (infinities.size() + 20 < kMaxTomlBytes) infinities += "1e999,";
  EXPECT_EQ(Outcome(infinities + "]\n"), "accepted");
  std::string tables;
  while (tables.size() + 20 < kMaxTomlBytes) tables += "[[a]]\n";
  EXPECT_EQ(Outcome(tables), "accepted");
  EXPECT_NE(Outcome("\"\"\"" + std::string(100'000, '"')), "accepted");
  EXPECT_NE(Outcome("a = '''" + std::string(100'000, '\\')), "accepted");
  EXPECT_NE(Outcome("a = \"" + std::string(100'001, '\\')), "accepted");
  EXPECT_NE(Outcome(std::string(100'000, ']') + "}=,"), "accepted");
}

TEST(TomlNumber, TakesOnlyNumbers) {
  for (const char* bad :
       {"",   "+",    "01",  "1_",  "_1",  "1__0", "1.",   ".5",         "1e", "1.e5",
        "0x", "+0x1", "0xg", "0b2", "inf", "nan",  "true", "2026-01-02", "1 ", "1.5.5"}) {
    EXPECT_FALSE(ParseTomlNumber(bad)) << bad;
  }
}

}  // namespace
}  // namespace cacheon::bundle
