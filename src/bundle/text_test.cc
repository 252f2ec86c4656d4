// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/text.h"

#include <gtest/gtest.h>

#include <array>

#include "cacheon/bundle/publication_name.h"

namespace cacheon::bundle {
namespace {

TEST(Text, TrimsUnicodeWhiteSpace) {
  EXPECT_EQ(Trim("\t \v\f\r\n\x1c\x1f x y\u00a0\u3000\u2007\u0085"), "x y");
  EXPECT_EQ(Trim("\u200bx\u200b"), "\u200bx\u200b");  // a zero-width space is no white space
  EXPECT_EQ(Trim("\u2028"), "");
}

TEST(Text, TakesPythonIdentifiers) {
  for (const char* good : {"a", "_", "a9", "class", "\u00e9ntr\u00e9e", "\u4e2d", "\u2118x"}) {
    EXPECT_TRUE(IsPythonIdentifier(good)) << good;
  }
  for (const char* bad : {"", "9a", "a.b", "a-b", "a b", "\u00b2", "a\u200b", "\u0301a", "\xff"}) {
    EXPECT_FALSE(IsPythonIdentifier(bad)) << bad;
  }
  EXPECT_TRUE(IsPythonIdentifier("a\u0301"));
}

TEST(Text, KnowsKeywords) {
  EXPECT_TRUE(IsPythonKeyword("None"));
  EXPECT_FALSE(IsPythonKeyword("match"));
}

TEST(Text, TakesIds) {
  EXPECT_TRUE(IsId("a.B_9-"));
  EXPECT_FALSE(IsId(""));
  EXPECT_FALSE(IsId("a/b"));
  EXPECT_FALSE(IsId("\u00e9"));
}

TEST(Text, FindsTheKeyThatWasMeant) {
  constexpr std::array<std::string_view, 3> kKeys = {"slot", "source", "setup"};
  EXPECT_EQ(NearestKey("slto", kKeys), "slot");
  EXPECT_EQ(NearestKey("sorce", kKeys), "source");
  EXPECT_EQ(NearestKey("xyz", kKeys), "");
  EXPECT_EQ(NearestKey(std::string(1'000'000, 's'), kKeys), "");
}

TEST(Text, QuotesWithoutHarm) {
  EXPECT_EQ(Quoted("a\x1b[2J"), "`a\\x1b[2J`");
  EXPECT_EQ(Quoted(std::string(79, 'a') + "\u00e9" + "b"), "`" + std::string(79, 'a') + "...`");
}

TEST(Text, KnowsWhichNamesCanBePublished) {
  for (const char* good :
       {"manifest.toml", "a/b c/9[x]=1,2@3+4.py", "__init__.py", "_x.py", "d/__a.b+c.so", "9"}) {
    EXPECT_TRUE(CheckPublicationPath(good)) << good;
  }
  for (const std::string& bad :
       {std::string(".gitignore"), std::string("_dir/x.py"), std::string("caf\u00e9.py"),
        std::string("___x.py"), std::string("_9.py"), std::string("_x.txt"), std::string("_x..py"),
        std::string("x.pyc/k"), std::string("a//b"), std::string(256, 'a'), std::string("")}) {
    EXPECT_FALSE(CheckPublicationPath(bad)) << bad;
  }
  std::string deep = "a";
  for (std::size_t i = 1; i < kMaxPublicationComponents; ++i) deep += "/a";
  EXPECT_TRUE(CheckPublicationPath(deep));
  const auto too_deep = CheckPublicationPath(deep + "/a");
  EXPECT_EQ(too_deep.error().code, Code("publish.path"));
  EXPECT_EQ(too_deep.error().where.file, deep + "/a");
  EXPECT_FALSE(CheckPublicationPath(std::string(200, 'a') + "/" + std::string(200, 'a') + "/" +
                                    std::string(200, 'a') + "/" + std::string(200, 'a') + "/" +
                                    std::string(221, 'a')));
}

}  // namespace
}  // namespace cacheon::bundle
