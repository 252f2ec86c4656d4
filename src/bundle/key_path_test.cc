// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/key_path.h"

#include <gtest/gtest.h>

namespace cacheon::bundle {
namespace {

TEST(KeyPath, QuotesOnlyWhatIsNoBareKey) {
  EXPECT_EQ(JoinKey(JoinIndex(JoinKey("", "ops"), 2), "variant"), "ops[2].variant");
  EXPECT_EQ(JoinKey("specializes", "input.eps"), "specializes.\"input.eps\"");
  EXPECT_EQ(JoinKey("a", ""), "a.\"\"");
  EXPECT_EQ(JoinKey("", "q\"\\"), "\"q\\\"\\\\\"");
}

TEST(KeyPath, ReadsBackWhatItWrites) {
  const std::string path = JoinIndex(JoinKey(JoinKey("ops", "a.\"b\\"), "c-d_9"), 12);
  const auto steps = SplitKeyPath(path);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 4U);
  EXPECT_EQ(std::get<std::string>((*steps)[1]), "a.\"b\\");
  EXPECT_EQ(std::get<std::string>((*steps)[2]), "c-d_9");
  EXPECT_EQ(std::get<std::size_t>((*steps)[3]), 12U);
}

TEST(KeyPath, RefusesBrokenPaths) {
  for (const char* bad : {"a..b", "a[", "a[x]", "a[1", "\"open", "\"a\\", ".a", "a b"}) {
    EXPECT_FALSE(SplitKeyPath(bad)) << bad;
  }
}

}  // namespace
}  // namespace cacheon::bundle
