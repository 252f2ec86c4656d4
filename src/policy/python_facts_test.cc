// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_facts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cacheon::policy {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kModule =
    R"({"status":"ok","strings":["Module","body","Name","x"],"nodes":[-1,-1,0,0,0,-1,-1,0,)";

Result<PythonParse> Read(std::string_view json) { return ReadPythonFacts(json, {10, 0, 3}); }

TEST(PythonFacts, BuildsTheTree) {
  const auto parse = Read(std::string(kModule) + "0,1,2,1,4,3,-1,1,0,1,2,3,1,3,-1,0]}");
  ASSERT_TRUE(parse) << FormatError(parse.error());
  const PythonTree& tree = parse->tree;
  ASSERT_EQ(tree.size(), 3);
  EXPECT_EQ(tree[0].end, 3);
  EXPECT_EQ(tree[1].end, 2);
  EXPECT_THAT(tree.Children(0, PythonField::kBody), ElementsAre(1, 2));
  EXPECT_EQ(tree[1].text, "x");
  EXPECT_FALSE(tree[1].loads());
  EXPECT_EQ(tree[1].column_bytes, 4);
}

TEST(PythonFacts, GivesImpossiblePlacesThatOfTheParent) {
  const auto parse =
      Read(std::string(kModule) + "0,1,2,1,4,3,-1,0,1,1,2,9,1,3,-1,0,1,1,2,3,7,3,-1,0]}");
  ASSERT_TRUE(parse) << FormatError(parse.error());
  for (const std::int32_t i : {2, 3}) {
    EXPECT_EQ(parse->tree[i].line, 1);
    EXPECT_EQ(parse->tree[i].column_bytes, 4);
  }
}

TEST(PythonFacts, ReadsTheOtherAnswers) {
  const auto syntax = Read(R"({"status":"syntax","message":"m","line":2,"column":3})");
  ASSERT_TRUE(syntax);
  EXPECT_EQ(syntax->status, PythonParseStatus::kSyntax);
  EXPECT_EQ(syntax->line, 2);
  EXPECT_EQ(syntax->column, 3);
  const auto ready = Read(R"({"status":"ready","version":[3,11]})");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->version, 11);
}

// The strangest answers that a parser under another's control could give.
class StrangeAnswer : public ::testing::TestWithParam<std::string> {};

TEST_P(StrangeAnswer, IsRefused) {
  const auto parse = Read(GetParam());
  ASSERT_FALSE(parse);
  EXPECT_EQ(parse.error().code, Code("scan.parser_failed"));
  EXPECT_EQ(parse.error().where, Place{});
}

const std::string kAnswers[] = {
    "",
    "null",
    "[]",
    R"({"status":"perfect"})",
    R"({"status":"ready","version":[2,7]})",
    R"({"status":"ok","strings":[],"nodes":[]})",
    std::string(kModule) + "5]}",                         // not eight numbers
    std::string(kModule) + "1,1,2,1,0,3,-1,0]}",          // its own parent
    std::string(kModule) + "-1,1,2,1,0,3,-1,0]}",         // a second root
    std::string(kModule) + "0,1,0,1,0,3,-1,0]}",          // a module in a module
    std::string(kModule) + "0,1,99,1,0,3,-1,0]}",         // a kind beyond the strings
    std::string(kModule) + "0,1,2,1,0,99999,-1,0]}",      // a text beyond the strings
    std::string(kModule) + "0,1,2,1,0,3,-2,0]}",          // a negative index
    std::string(kModule) + "0,1,2,1,0,3,4294967296,0]}",  // beyond 32 bits
    std::string(kModule) + "0,1,2,1,0,3,1e3,0]}",         // a float
    // The parent was closed by a sibling.
    std::string(kModule) + "0,1,2,1,0,3,-1,0,0,1,2,1,0,3,-1,0,1,1,2,1,0,3,-1,0]}",
    R"({"status":"ok","strings":[")" + std::string(20'000, 'a') + R"("],"nodes":[]})",
    R"({"status":"ok","nodes":)" + std::string(100'000, '['),
    R"({"status":"ok","strings":["\ud800"],"nodes":[]})",
    R"({"status":"syntax","message":"m","line":-7,"column":1})",
};
INSTANTIATE_TEST_SUITE_P(Answers, StrangeAnswer, ::testing::ValuesIn(kAnswers));

TEST(PythonFacts, BoundsDepth) {
  std::string json(kModule);
  for (int i = 0; i < kMaxFactsDepth; ++i) json += fmt::format("{},1,2,1,0,3,-1,0,", i);
  json.back() = ']';
  const auto parse = Read(json + "}");
  ASSERT_FALSE(parse);
  EXPECT_THAT(parse.error().message, ::testing::HasSubstr("depth"));
}

}  // namespace
}  // namespace cacheon::policy
