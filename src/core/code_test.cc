// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

namespace cacheon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Code, IsTwoOrMoreDottedWords) {
  for (const char* text : {"io.open", "a.b.c", "py.x_1", "1.2"}) {
    EXPECT_TRUE(Code::IsWellFormed(text)) << text;
  }
  for (const char* text :
       {"", ".", "open", "io.", ".open", "io..open", "Io.open", "io.o-p", "io. "}) {
    EXPECT_FALSE(Code::IsWellFormed(text)) << text;
  }
}

TEST(Code, ComparesByText) {
  EXPECT_EQ(Code("io.open"), Code::Find("io.open"));
  EXPECT_LT(Code("io.open"), Code("io.read"));
}

TEST(Code, IsNotFoundWithoutAPage) {
  EXPECT_EQ(Code::Find("io.opened"), std::nullopt);
  EXPECT_EQ(Code::Find(""), std::nullopt);
}

TEST(CodePages, AreSortedAndWellFormed) {
  std::string_view previous;
  for (const CodePage& page : CodePages()) {
    EXPECT_LT(previous, page.code);
    EXPECT_TRUE(Code::IsWellFormed(page.code)) << page.code;
    EXPECT_FALSE(page.summary.empty()) << page.code;
    previous = page.code;
  }
}

TEST(CodePages, HaveAliasesThatNameOneRuleOnly) {
  std::set<std::string_view> names;
  for (const CodePage& page : CodePages()) EXPECT_TRUE(names.insert(page.code).second) << page.code;
  for (const CodePage& page : CodePages()) {
    for (const std::string_view alias : page.aliases) {
      EXPECT_TRUE(Code::IsWellFormed(alias)) << page.code << ": " << alias;
      EXPECT_TRUE(names.insert(alias).second) << page.code << ": " << alias;
      EXPECT_EQ(FindCodePage(alias), &page) << alias;
    }
  }
}

TEST(PagesBelow, ListsWhatACoarserCodeCovers) {
  const std::vector<const CodePage*> pages = PagesBelow("artifact.aggregate_leaf");
  ASSERT_GT(pages.size(), 1U);
  EXPECT_LT(pages[0]->code, pages[1]->code);
  EXPECT_EQ(FindCodePage("artifact.aggregate_leaf"), nullptr);
  EXPECT_TRUE(PagesBelow("io.open").empty());
}

TEST(FindCodePage, FindsEveryPageByItsCode) {
  for (const CodePage& page : CodePages()) EXPECT_EQ(FindCodePage(page.code), &page) << page.code;
  EXPECT_EQ(FindCodePage("zz.last"), nullptr);
}

TEST(NearestCodes, PutsTheLikelyMeaningFirst) {
  EXPECT_THAT(NearestCodes("io.opne", 1), ElementsAre("io.open"));
  EXPECT_THAT(NearestCodes("json.syntx", 1), ElementsAre("json.syntax"));
  EXPECT_EQ(NearestCodes("io.open", 3).size(), 3U);
  EXPECT_THAT(NearestCodes("io.open", 0), IsEmpty());
}

TEST(NearestCodes, TakesHostileLengths) {
  EXPECT_EQ(NearestCodes(std::string(1 << 20, 'x'), 2).size(), 2U);
}

}  // namespace
}  // namespace cacheon
