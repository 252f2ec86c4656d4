// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/live_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cacheon::policy {
namespace {

using testing::IsEmpty;

std::vector<Error> Warnings(std::string_view slot, std::string_view metadata) {
  return ReachabilityWarnings(slot, ParseEligibility(ReadJson(metadata).value()).value());
}

void ExpectOne(const std::vector<Error>& warnings, Code code, std::string_view key_path) {
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, code);
  EXPECT_EQ(warnings[0].where.key_path, key_path);
  EXPECT_EQ(warnings[0].severity, Severity::kWarning);
}

TEST(ReachabilityWarnings, NamesAFieldThatLiveCallsNeverSay) {
  ExpectOne(Warnings("attention.decode", R"({"capabilities": {"runtime": "sglang"}})"),
            "route.unreachable_field", "capabilities.runtime");
}

TEST(ReachabilityWarnings, NamesAValueThatLiveCallsNeverHave) {
  ExpectOne(Warnings("attention.decode", R"({"capabilities": {"layout": "paged"}})"),
            "route.unreachable_value", "capabilities.layout");
  ExpectOne(Warnings("attention.decode", R"({"capabilities": {"q_len": {"min": 2}}})"),
            "route.unreachable_value", "capabilities.q_len");
  EXPECT_THAT(Warnings("attention.decode", R"({"capabilities": {"q_len": {"max": 4}}})"),
              IsEmpty());
}

TEST(ReachabilityWarnings, KnowsThatThePositionalLookupPassesUnknownBounds) {
  EXPECT_THAT(Warnings("norm.rmsnorm", R"({"max_num_tokens": 4, "quant": ["fp8"]})"), IsEmpty());
  ExpectOne(Warnings("norm.rmsnorm", R"({"capabilities": {"num_tokens": {"max": 4}}})"),
            "route.unreachable_field", "capabilities.num_tokens");
}

TEST(ReachabilityWarnings, SaysWhenNothingCallsTheSlot) {
  ExpectOne(Warnings("attention.sdpa", "{}"), "route.no_live_site", "");
}

TEST(ReachabilityWarnings, SaysNothingOfSlotsThatDoNotExist) {
  EXPECT_THAT(Warnings("made.up", R"({"capabilities": {"runtime": "x"}})"), IsEmpty());
  EXPECT_THAT(Warnings("collective.moe_epilogue.v1", "{}"), IsEmpty());
}

}  // namespace
}  // namespace cacheon::policy
