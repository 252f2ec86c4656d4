// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/policy/random_rows_for_test.h"

namespace cacheon::policy {
namespace {

using testing::HasSubstr;

const Place kRowPlace{.file = "manifest.toml", .line = 7, .column = 1, .key_path = "ops[1]"};

RouteRow Row(std::string variant, std::string_view metadata) {
  return {.slot = "norm.rmsnorm",
          .variant = std::move(variant),
          .eligibility = ParseEligibility(ReadJson(metadata).value()).value(),
          .where = kRowPlace};
}

void ExpectRefusal(RouteRegistry& registry, RouteRow row, Code code, std::string_view sentence) {
  const Status status = registry.Register(std::move(row));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().where, kRowPlace);
  EXPECT_THAT(status.error().message, HasSubstr(sentence));
}

TEST(RouteRegistry, RefusesABadVariantName) {
  RouteRegistry registry;
  ExpectRefusal(registry, Row("a b", "{}"), "route.variant_name", "`a b`");
  ExpectRefusal(registry, Row("", "{}"), "route.variant_name", "``");
}

TEST(RouteRegistry, RefusesARowThatCanNeverServeAndSaysWhy) {
  RouteRegistry registry;
  RouteRow row = Row("a", R"({"capabilities": {"quant": "nvfp4"}})");
  EXPECT_THAT(registry.Register(row).error().hint, HasSubstr("list `quant`"));
  ExpectRefusal(registry, std::move(row), "route.empty_domain", "`quant` has no value left");
  row = Row("a", R"({"capabilities": {"graph_mode": "on"}})");
  EXPECT_THAT(registry.Register(row).error().hint, HasSubstr("graph_safe"));
}

TEST(RouteRegistry, RefusesTheSameVariantTwice) {
  RouteRegistry registry;
  ASSERT_TRUE(registry.Register(Row("a", R"({"max_num_tokens": 1})")).has_value());
  ExpectRefusal(registry, Row("a", R"({"min_num_tokens": 2})"), "route.duplicate_variant", "`a`");
}

TEST(RouteRegistry, RefusesOverlapWithACallThatBothServe) {
  RouteRegistry registry;
  ASSERT_TRUE(registry.Register(Row("small", R"({"max_num_tokens": 127})")).has_value());
  ExpectRefusal(registry,
                Row("mid", R"({"dtypes": ["bf16"], "capabilities": {"num_tokens": {"min": 64}}})"),
                "route.overlap", "both accept dtype='bfloat16', num_tokens=64");
}

TEST(RouteRegistry, KeepsOverlapOfDifferentSlotsApart) {
  RouteRegistry registry;
  RouteRow other = Row("a", "{}");
  other.slot = "attention.sdpa";
  EXPECT_TRUE(registry.Register(Row("a", "{}")).has_value());
  EXPECT_TRUE(registry.Register(std::move(other)).has_value());
}

TEST(RouteTables, NamesEveryOutcome) {
  RouteRegistry registry;
  ASSERT_TRUE(registry.Register(Row("a", R"({"dtypes": ["bf16"]})")).has_value());
  ASSERT_TRUE(registry.Register(Row("b", R"({"dtypes": ["fp16"]})")).has_value());
  RouteTables tables = registry.Compile();
  CallDescriptor call;
  EXPECT_EQ(tables.Select("attention.sdpa", call).outcome, RouteOutcome::kSlotUnregistered);
  EXPECT_EQ(tables.Select("norm.rmsnorm", call).outcome, RouteOutcome::kOutOfDomain);
  EXPECT_EQ(tables.Find("norm.rmsnorm")->Explain(call)[1][0].field, "dtype");
  call.Set(Field::kDtype, "fp16");
  EXPECT_EQ(tables.Select("norm.rmsnorm", call), (Selection{RouteOutcome::kSelected, 1}));
  tables.set_active(false);
  EXPECT_EQ(tables.Select("norm.rmsnorm", call).outcome, RouteOutcome::kRegistryInactive);
}

TEST(RouteTable, MoreThanOneAcceptingRowIsAmbiguous) {
  const RouteTable table({Row("a", "{}"), Row("b", "{}")});
  EXPECT_EQ(table.Select({}).outcome, RouteOutcome::kAmbiguous);
  EXPECT_EQ(table.Accepting({}).size(), 2U);
}

TEST(RouteTable, SelectsByPrivateFields) {
  RouteRow row = Row("a", "{}");
  row.eligibility.capabilities = {{.field = "my_fact", .allowed = {Scalar(true)}}};
  const RouteTable table({row});
  CallDescriptor call;
  EXPECT_EQ(table.Select(call).outcome, RouteOutcome::kOutOfDomain);
  call.Set("my_fact", true);
  EXPECT_EQ(table.Select(call).outcome, RouteOutcome::kSelected);
}

TEST(RouteTable, FindsRowsBeyondOneBlock) {
  std::vector<RouteRow> rows;
  for (int i = 0; i < 200; ++i) {
    rows.push_back(Row("v" + std::to_string(i), "{}"));
    rows.back().eligibility.capabilities = {
        {.field = "num_tokens", .min = i * 10, .max = i * 10 + 9}};
  }
  const RouteTable table(std::move(rows));
  CallDescriptor call;
  for (std::size_t tokens = 0; tokens < 2000; ++tokens) {
    call.Set(Field::kNumTokens, static_cast<std::int64_t>(tokens));
    ASSERT_EQ(table.Select(call), (Selection{RouteOutcome::kSelected, tokens / 10}));
  }
  call.Set(Field::kNumTokens, 2000);
  EXPECT_EQ(table.Select(call).outcome, RouteOutcome::kOutOfDomain);
  call.Set(Field::kNumTokens, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(table.Select(call).outcome, RouteOutcome::kOutOfDomain);
}

// The table against the rule that explains itself.
TEST(RouteTable, AcceptsWhatMatchAcceptsOnRandomRows) {
  RandomRows random(3);
  for (int i = 0; i < 15; ++i) {
    std::vector<RouteRow> rows;
    for (int row = 0; row < 70; ++row) {
      rows.push_back({.slot = "s", .variant = "v", .eligibility = random.Row()});
    }
    const RouteTable table(std::move(rows));
    for (int j = 0; j < 50; ++j) {
      const CallDescriptor call = random.Call();
      std::vector<std::size_t> expected;
      for (std::size_t row = 0; row < table.rows().size(); ++row) {
        if (Match(table.rows()[row].eligibility, call).empty()) expected.push_back(row);
      }
      ASSERT_EQ(table.Accepting(call), expected) << call.Text();
      ASSERT_EQ(table.Select(call).outcome, expected.empty()       ? RouteOutcome::kOutOfDomain
                                            : expected.size() == 1 ? RouteOutcome::kSelected
                                                                   : RouteOutcome::kAmbiguous);
    }
  }
}

}  // namespace
}  // namespace cacheon::policy
